import { flag, text, verb } from '../../verb.ts';

export const consoleOptions = {
  tenant: text(
    'NAME',
    'make the session for this tenant alone (default: all tenants with the admin key, else the tenant of the key)',
  ),
  to: text('PATH', 'open this page of the console, such as /t/default/events; default: its first page'),
  'no-open': flag('print the URL, and open nothing'),
};

export const consoleVerb = verb({
  summary: 'Open the console in the browser, signed in',
  description:
    'Makes a session of the key in use, prints a URL that signs in to the console with it, and opens that in the browser of this machine, if there is one. The URL works once, within a minute; whoever opens it has the session. The key needs the scope admin.',
  options: consoleOptions,
  run: async (values, _given, context) => (await import('./open-console.ts')).openConsole(values, context),
});

import { apiVerb } from '../api-calls/api-verb.ts';
import { loadConsoleConfig } from '../config.ts';
import { openInBrowser } from '../output/open-in-browser.ts';
import { flag } from '../verb.ts';

interface Opened {
  url: string;
  expires_at: string;
}

/** `hookline console`: a session for the browser by a code, so that no key is typed or stored there. */
export const consoleVerb = apiVerb({
  summary: 'Open the console, signed in',
  description:
    'Makes a session of the key in use (with the admin key: for all tenants, unless --tenant names one) and opens the console with its code. The link can be used once, within a minute. Without a terminal, or with --no-open, it is only printed.',
  things: 'session',
  options: { 'no-open': flag('only print the link') },
  async call(api, { 'no-open': isPrinted, json, tenant }): Promise<Opened> {
    const { all_tenants: isOperator } = await api.ask<{ all_tenants: boolean }>('GET', '/me');
    const body = { code: true, ...(isOperator && tenant === undefined && { tenant: '*' }) };
    const { code, code_expires_at } = await api.ask<{ code: string; code_expires_at: string }>('POST', '/sessions', {
      body,
    });
    const url = `${loadConsoleConfig().consoleUrl.replace(/\/+$/, '')}/session/code?code=${code}`;
    if (!isPrinted && !json && process.stdout.isTTY) openInBrowser(url);
    return { url, expires_at: code_expires_at };
  },
  show: ({ url }) => `${url}\n(once, within a minute)`,
});

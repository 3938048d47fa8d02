import { tenantOption } from '../../api-calls/api-verb.ts';
import { schemeSettingOptions, secretOption } from '../../options/scheme-options.ts';
import { flag, list, text, verb } from '../../verb.ts';

export const listenOptions = {
  forward: text('URL', 'send what is verified on to this URL, or port of this machine, and answer with its status'),
  types: text('LIST', 'get events of these types: order.paid,invoice.* (default: all)'),
  poll: flag('ask the API for events, where it can’t reach this machine; signs them here'),
  since: text('TIME', 'with --poll: begin with what was accepted then: 2026-01-31T09:30:00Z, or an age such as 90m'),
  'public-url': text('URL', 'the address at which Hookline reaches this receiver, such as a tunnel’s'),
  port: text('N', 'run the receiver alone, without an endpoint, on this port; 0: any free one'),
  host: text('ADDRESS', 'the address to listen on; 0.0.0.0 for all (default: 127.0.0.1)'),
  ...secretOption(
    'a secret of the endpoint; whpk_… for its key pair. Runs the receiver alone, unless with --public-url or --poll. Requests that none of them verifies get 401 (400 if malformed), with the reason',
  ),
  status: text('N', 'the answer to every request (default: 200)'),
  fail: list('STATUS@SHARE', 'fail a share of all requests: 500@0.3, timeout@0.1 (no answer), reset@0.1'),
  delay: text('TIME', 'wait before each answer: 200ms, or 1s..3s at random'),
  count: text('N', 'end after this many requests'),
  scheme: text('NAME', 'verify webhooks of this scheme in place of Hookline’s deliveries; runs the receiver alone'),
  ...schemeSettingOptions,
  ...tenantOption('endpoint'),
};

export const listen = verb({
  summary: 'Receive events here: print, verify and forward them; fail on demand',
  description:
    'Makes a temporary endpoint whose deliveries come to this terminal, prints each one, whether its signature is valid and the answer it got, and forwards it. Runs until Ctrl-C, removes the endpoint and prints a summary.\nWith --poll there is no endpoint: events are read from the API, signed here as a delivery is, and forwarded. No attempt is recorded.\nWith --port, --secret or --scheme it is a receiver alone, for endpoints and senders of your own.',
  options: listenOptions,
  run: async (values, _given, context) =>
    values.poll
      ? (await import('./poll/poll.ts')).poll(values, context)
      : (await import('./listen.ts')).listen(values, context),
});

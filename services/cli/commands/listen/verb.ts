import { schemeSettingOptions, secretOption } from '../../options/scheme-options.ts';
import { list, text, verb } from '../../verb.ts';

export const listen = verb({
  summary: 'Run a receiver that prints and verifies requests, and fails on demand',
  description:
    'Runs a receiver for tests: prints its URL, then each request as it arrives, whether its signature is valid, and the answer it got. Runs until Ctrl-C and prints a summary.',
  options: {
    port: text('N', 'the port to listen on (default: 0, any free port)'),
    host: text('ADDRESS', 'the address to listen on; 0.0.0.0 for all (default: 127.0.0.1)'),
    ...secretOption(
      'a secret of the endpoint; whpk_… for its key pair. Requests that none of them verifies get 401 (400 if malformed), with the reason',
    ),
    status: text('N', 'the answer to every request (default: 200)'),
    fail: list('STATUS@SHARE', 'fail a share of all requests: 500@0.3, timeout@0.1 (no answer), reset@0.1'),
    delay: text('TIME', 'wait before each answer: 200ms, or 1s..3s at random'),
    count: text('N', 'end after this many requests'),
    scheme: text('NAME', 'verify webhooks of this scheme in place of Hookline’s deliveries'),
    ...schemeSettingOptions,
  },
  run: async (values) => (await import('./listen.ts')).listen(values),
});

import { sourceDefaults } from '#lib/contract';
import { chooseNames, type ServedName, servedNames } from '../../serve/names.ts';
import { apiVerbs } from '../api-calls/api-verb.ts';
import { usageFailure } from '../command-failure.ts';
import { schemeOptions, schemeSettingOptions, secretOption } from '../options/schemes.ts';
import { timeForms } from '../options/values.ts';
import { flag, list, text, verb, type Verb, type VerbTable } from '../verb.ts';
import { bashCompletion, zshCompletion } from './completion.ts';

export const me = apiVerbs('request').apiVerb({
  summary: 'Show the key in use: its tenant, scopes and end',
  call: (api) => api.call('GET /v1/me'),
});

export const checkUrl = verb({
  summary: 'Check whether an endpoint may have a URL',
  description:
    'Prints `allowed` and exits 0, or `blocked: <reason>` and exits 1. Wrong usage exits 2. Checks by the defaults, with plain http allowed, whatever the settings of this stack are.',
  argument: 'url',
  options: {
    resolve: list(
      'ADDRESS,…',
      'the addresses of the host name, in place of a DNS query; each is checked. An IP literal in the URL is never looked up',
    ),
  },
  run: async (values, { url }, context) => (await import('./check-url.ts')).checkEndpointUrl(url, values, context),
});

/** @param table every verb; a function, because this verb is in the table */
export const completionVerb = (table: () => VerbTable): Verb =>
  verb({
    summary: 'Print the completion of commands and options for bash or zsh',
    description:
      'Prints a script that completes commands and options. bash: `source <(hookline completion bash)` in ~/.bashrc; zsh: `source <(hookline completion zsh)` in ~/.zshrc, after compinit. It completes `hookline` and `./hookline`.',
    argument: 'shell',
    run: async (_values, { shell }, { process }) => {
      if (shell !== 'bash' && shell !== 'zsh') throw usageFailure(`no completion for ${shell}: there is bash and zsh`);
      process.stdout.write(shell === 'bash' ? bashCompletion(table()) : zshCompletion(table()));
      return 0;
    },
  });

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
  run: async (values, _given, context) => (await import('./console.ts')).openConsole(values, context),
});

export const resealSecrets = verb({
  summary: 'Encrypt all secrets with the first encryption key',
  description:
    'Encrypts all secrets at rest with the first of HOOKLINE_ENCRYPTION_KEYS, so that the other keys can be removed: secrets of sources and endpoints (deleted ones too, while they have any), private settings of endpoints, and stored answers of idempotency keys. Safe beside running services, and safe to repeat.\n\nExits 1 if no key of the list opens a secret or an answer: it keeps its encryption.',
  options: { 'dry-run': flag('count, and change nothing') },
  run: async (values, _given, context) => (await import('./reseal-secrets.ts')).resealAll(values, context),
});

export const setup = verb({
  summary: 'Run migrations, create topics, register schemas; before the first start and each upgrade',
  description:
    'Prepares Postgres, Kafka and the schema registry for the services: runs pending migrations, creates missing topics, registers schemas. Safe to repeat, and needed before every upgrade.',
  run: async (_values, _given, context) => (await import('./set-up.ts')).setUp(context),
});

export const sendOptions = {
  ...secretOption('the secret of the source'),
  body: text('TEXT', 'the body (default: a small JSON object, new for each webhook)'),
  header: list("'Name: value'", 'a header to send; Content-Type is application/json by default'),
  id: text('ID', 'the id of the webhook, in the headers where the source looks for it (default: a new one)'),
  count: text('N', 'send this many webhooks, one after the other (default: 1)'),
  'max-attempts': text('N', 'attempts for each webhook (default: 8)'),
  ...schemeOptions,
  scheme: text('NAME', 'sign by this scheme and its options, without asking the API for those of the source'),
  tenant: text('NAME', 'the tenant of the source (default: default)'),
};

export const send = verb({
  summary: 'Send signed webhooks to a source, and retry until they are accepted',
  description:
    'Sends a webhook as the source’s provider would, and prints its receipt. 429, 503, 504 and no answer are retried with the same bytes and id, after a random wait that doubles and after Retry-After.',
  argument: 'source',
  options: sendOptions,
  run: async (values, given, context) => (await import('./send.ts')).send(values, given, context),
});

export const statusVerb = verb({
  summary: 'Show whether all is well: services, consumer lag, failing endpoints',
  description:
    'Shows each service with its processes, the consumer lag of each stage, dependencies that do not answer, and the endpoints all of whose attempts fail. Exit code 1 if a service or a dependency is down. A key of one tenant sees its endpoints alone.',
  options: apiVerbs('endpoints').tenantOption,
  run: async (values, _given, context) => (await import('./status.ts')).showStatus(values, context),
});

export const sign = verb({
  summary: 'Print the headers with which a provider would sign a body',
  description:
    'Prints the headers with which the provider of a scheme would send the body, one a line: pass each to `curl -H`.',
  options: {
    ...secretOption('the secret, once; for standard-webhooks also whsk_…, an Ed25519 private key'),
    id: text('ID', 'the id of the webhook, if the scheme signs one (default: a new one)'),
    ...schemeOptions,
  },
  run: async (values, _given, context) => (await import('./sign-and-verify.ts')).sign(values, context),
});

export const verify = verb({
  summary: 'Verify the signature of a webhook',
  description:
    'Verifies a webhook as the ingress does. Prints `valid` and exits 0, or `invalid: <code>` and exits 1. The codes are signature_missing, signature_malformed, signature_invalid and timestamp_out_of_tolerance. Wrong usage exits 2.',
  options: {
    ...secretOption('a secret that may have signed it; for standard-webhooks also whpk_…, an Ed25519 public key'),
    header: list("'Name: value'", 'a header of the request'),
    tolerance: text(
      'SECONDS',
      `how far a signed time may be from now, in both directions (default: ${sourceDefaults.timestamp_tolerance_seconds})`,
    ),
    ...schemeOptions,
  },
  run: async (values, _given, context) => (await import('./sign-and-verify.ts')).verify(values, context),
});

export const rebuild = {
  dedup: verb({
    summary: 'Restore the deduplication keys after a restore or failover of Postgres',
    description:
      'Restores rows of the table `dedup_keys` that were lost with the database. Reads `events`, and writes a row for each event of a webhook whose key has none: the webhook is known again, so that a repetition of it becomes no second event. Events that were erased are left out. Safe to repeat. Stop dedup meanwhile: what it accepts before its rows are back may be a second event of a webhook.',
    options: {
      since: text('TIME', `ignore records written before this time (default: read all): ${timeForms}`),
      'dry-run': flag('count, and change nothing'),
    },
    run: async (values, _given, context) => (await import('./rebuild-dedup.ts')).rebuildDedup(values, context),
  }),
  waiting: verb({
    summary: 'Restore the rows of waiting deliveries after a failover of Postgres',
    description:
      'Restores rows of the table `waiting` that were lost in a failover of Postgres to a lagging replica. Reads `delivery.attempts`, and writes a row for each delivery whose newest step waits for a retry or for room and that has no row. Deliveries that have ended or moved on are left alone. Safe beside running services, and safe to repeat.\n\nDeliveries of ordered endpoints without a row are listed (ordered_without_row) and not restored: their place in the order is lost with the row. The runbook says how to restart them.\n\nExits 1 if there are such deliveries, or rows whose event is missing from the tables (without_event).',
    options: {
      since: text(
        'TIME',
        `ignore records written before this time (default: read all; some 300 bytes of memory a delivery): ${timeForms}`,
      ),
      'dry-run': flag('count, and change nothing'),
    },
    run: async (values, _given, context) => (await import('./rebuild-waiting.ts')).rebuildWaiting(values, context),
  }),
};

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
  ...apiVerbs('endpoint').tenantOption,
};

export const listen = verb({
  summary: 'Receive events here: print, verify and forward them; fail on demand',
  description:
    'Makes a temporary endpoint whose deliveries come to this terminal, prints each one, whether its signature is valid and the answer it got, and forwards it. Runs until Ctrl-C, removes the endpoint and prints a summary.\nWith --poll there is no endpoint: events are read from the API, signed here as a delivery is, and forwarded. No attempt is recorded.\nWith --port, --secret or --scheme it is a receiver alone, for endpoints and senders of your own.',
  options: listenOptions,
  run: async (values, _given, context) =>
    values.poll
      ? (await import('../listen/poll.ts')).poll(values, context)
      : (await import('../listen/listen.ts')).listen(values, context),
});

export const serve = verb({
  summary: 'Run all services, or some of them, in one process',
  description:
    'Runs the services in this one process, for small machines. Their settings come from the environment alone, as in a process of their own (services/serve/README.md); the .hookline/local.env of a local stack is not read. SIGTERM ends it in order.',
  options: {
    only: text('NAMES', `the services to run, separated by commas (default: ${servedNames.join(',')})`),
  },
  async run({ only }) {
    const names = read(only);
    const { serve: run } = await import('../../serve/serve.ts');
    return run(names);
  },
});

function read(only: string | undefined): readonly ServedName[] {
  try {
    return chooseNames(only);
  } catch (error) {
    throw usageFailure((error as Error).message);
  }
}

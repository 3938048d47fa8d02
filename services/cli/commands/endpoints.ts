import type { Endpoint, TestResult } from '#lib/api-contract';
import { endpointDefaults, type EndpointSettings } from '#lib/contract';
import { apiVerbs, rotateSecretVerb } from '../api-calls/api-verb.ts';
import { connect } from '../api-calls/api.ts';
import { runReplay } from '../api-calls/replays.ts';
import { usageFailure } from '../command-failure.ts';
import type { Context } from '../context.ts';
import { exitCodesOfReplay, readReplayLimits, replayLimitOptions, waitOptions } from '../options/replay-options.ts';
import {
  bodyOfChange,
  changeOptions,
  jsonSetting,
  listSetting,
  readSettings,
  settingsOptions,
  type SettingSpec,
  textSetting,
} from '../options/settings-options.ts';
import {
  futureTimeForms,
  omitAbsent,
  readFutureTime,
  queryOf,
  readJsonFile,
  readTextFile,
  readTime,
  timeForms,
} from '../options/values.ts';
import { columns, describe, type Screen, shownTime } from '../output/print.ts';
import { countDown, describeOutcome } from '../output/views.ts';
import { flag, text, type Values, verb } from '../verb.ts';

/** From when on the endpoint gets events, and how it gets what came before: who sends at once is surprised by none. */
export function describeBeginning(
  { id, created_at: createdAt, effective_at: effectiveAt }: Pick<Endpoint, 'id' | 'created_at' | 'effective_at'>,
  screen: Screen,
): string {
  const from = new Date(Math.ceil(Date.parse(effectiveAt) / 1_000) * 1_000).toISOString();
  return `It gets events accepted from ${String(shownTime(from, screen))} on, two seconds after its creation. To send it what it missed:
  hookline events replay --to ${id} --since ${createdAt} --until ${effectiveAt}`;
}

/** There is no delivery while the event is not fanned out, and no attempt if there was none in the time that the API waits for it. */
function describeTest({ event_id: event, delivery_id: delivery, attempt }: TestResult, screen: Screen): string {
  const ids = omitAbsent({ event, delivery: delivery ?? undefined });
  if (attempt === null) {
    const command = delivery === null ? `events deliveries ${event}` : `deliveries attempts ${delivery}`;
    return describe({ outcome: `not sent yet: \`hookline ${command}\` will show the outcome`, ...ids }, screen);
  }
  const { at, response_excerpt: answer } = attempt;
  const outcome = describeOutcome(attempt);
  return describe({ outcome, at, ...ids, ...(answer !== null && answer !== '' && { answer }) }, screen);
}

/** The settings of an endpoint; a client certificate comes from files. */
const settings = {
  url: textSetting('URL', 'where deliveries are sent'),
  description: textSetting('TEXT', 'a description for people'),
  event_types: listSetting('TYPE', 'deliver events of this type (default: all)'),
  source_ids: listSetting('ID', 'deliver events of this source (default: all)'),
  filter: jsonSetting('JSON', 'deliver events whose payload matches: {"data.amount":{"$gt":100}}'),
  method: textSetting('METHOD', 'POST, PUT, PATCH or DELETE (default: POST)'),
  headers: jsonSetting('JSON', 'headers of each delivery: {"Authorization":"Bearer …"}; null removes one'),
  pass_headers: listSetting('NAME', 'pass this header of the provider on; X-GitHub-*: all that begin so'),
  timeout_ms: jsonSetting('N', 'how long the endpoint may take to answer'),
  max_in_flight: jsonSetting('N', 'how many deliveries may be in flight at once'),
  rate_limit: jsonSetting('JSON', '{"per_second":100,"burst":200}'),
  ordered: jsonSetting(
    'BOOLEAN',
    'true: events with the same ordering key are delivered one after the other, in order',
  ),
  retry: jsonSetting(
    'JSON',
    `the retry schedule: ${JSON.stringify({ ...endpointDefaults.retry, max_attempts: 20 })}, or {"schedule":[60,300,3600],"jitter":0.1}; base_seconds and each wait at least 1`,
  ),
  proxy: textSetting('URL', 'the proxy to deliver through: http://user:password@host:port'),
  ed25519: jsonSetting('BOOLEAN', 'true: sign with a key pair too (v1a); the endpoint shows its public keys'),
  expires_in: jsonSetting('SECONDS', 'delete it after so many seconds, 60 to 2592000 (default: never)'),
} as const satisfies Record<
  | Exclude<keyof EndpointSettings, 'client_certificate'>
  | 'url'
  | 'description'
  | 'event_types'
  | 'source_ids'
  | 'filter'
  | 'expires_in',
  SettingSpec
>;

const endpointOptions = {
  'client-certificate-file': text('FILE', 'the client certificate with its chain, PEM; with --client-key-file'),
  'client-key-file': text('FILE', 'the private key of the client certificate, PEM'),
  ...settingsOptions(settings),
};

/** The settings that have a default to be reset to. */
const resettableSettings = [...Object.keys(settings).filter((name) => name !== 'url'), 'client_certificate'];

type EndpointValues = Values<typeof endpointOptions>;

/** The settings that the call gives. The API validates them. */
const readEndpoint = async (context: Context, values: EndpointValues): Promise<Record<string, unknown>> => ({
  ...(await readSettings(context, values, settings)),
  ...(await readClientCertificate(context, values)),
});

async function readClientCertificate(context: Context, values: EndpointValues): Promise<object> {
  const { 'client-certificate-file': certificate, 'client-key-file': key } = values;
  if (certificate === undefined && key === undefined) return {};
  if (certificate === undefined || key === undefined)
    throw usageFailure('--client-certificate-file and --client-key-file go together');
  return {
    client_certificate: {
      certificate: await readTextFile(context, 'client-certificate-file', certificate),
      private_key: await readTextFile(context, 'client-key-file', key),
    },
  };
}

const { apiVerb, listVerb, endVerb, tenantOption } = apiVerbs('endpoints');

/** Nested objects as lines of their own: `latency.p95_ms`. */
const flat = (thing: object, prefix = ''): [string, unknown][] =>
  Object.entries(thing).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null
      ? flat(value, `${prefix}${name}.`)
      : [[`${prefix}${name}`, value ?? '-'] as [string, unknown]],
  );

export const endpoints = {
  list: listVerb({
    summary: 'List the endpoints',
    description: 'Lists the endpoints that are not deleted, oldest first.',
    options: {
      status: text('NAME', 'enabled (paused ones too), paused or disabled'),
      failing: flag('endpoints all of whose attempts fail at present'),
      search: text('TEXT', 'endpoints with this text in the URL or the description'),
    },
    call: (api, { status, failing, search, most }) => {
      const query = queryOf({ status, failing: failing ? 'true' : undefined, q: search });
      return api.list('GET /v1/endpoints', most, { query });
    },
    show: columns('id', 'url', 'event_types', 'disabled_reason', 'created_at'),
  }),
  show: apiVerb({
    summary: 'Show an endpoint',
    argument: 'id',
    call: (api, _values, params) => api.call('GET /v1/endpoints/:id', { params }),
  }),
  create: apiVerb({
    summary: 'Create an endpoint; shows its secret once',
    description:
      'Creates an endpoint. Prints the secret that signs its deliveries: it is shown this once. The endpoint gets events accepted from its `effective_at` on, two seconds from now: on a terminal it is counted down to.',
    options: {
      secret: text('TEXT', 'the secret that the receiver has generated (default: a new one)'),
      ...endpointOptions,
    },
    async call(api, values, _given, context) {
      const body = { ...(await readEndpoint(context, values)), ...omitAbsent({ secret: values.secret }) };
      return api.call('POST /v1/endpoints', { body: JSON.stringify(body) });
    },
    show: (created, screen) => `${describe(created, screen)}\n\n${describeBeginning(created, screen)}`,
    afterwards: ({ effective_at }, context) => countDown(context, effective_at),
  }),
  update: apiVerb({
    summary: 'Change or reset settings of an endpoint',
    description:
      'Changes the settings that are given and leaves the rest. In force everywhere, for events that are received from then on, at its `effective_at`, two seconds from now: on a terminal it is counted down to.',
    argument: 'id',
    options: { ...changeOptions('endpoint'), ...endpointOptions },
    async call(api, values, params, context) {
      const given = await readEndpoint(context, values);
      const body = bodyOfChange(given, values.reset, { thing: 'an endpoint', settings: resettableSettings });
      return api.call('PATCH /v1/endpoints/:id', { params, body, ifMatch: values['if-match'] });
    },
    afterwards: ({ effective_at }, context) => countDown(context, effective_at),
  }),
  delete: endVerb({
    summary: 'Delete an endpoint; cancels its open deliveries',
    description: 'Deletes an endpoint for good. Its open deliveries are cancelled, and its id is never used again.',
    field: 'deleted',
    call: (api, given) => api.call('DELETE /v1/endpoints/:id', given),
  }),
  'rotate-secret': rotateSecretVerb('endpoints', {
    description:
      'Prints the new secret: it is shown this once. Deliveries are signed with both until the overlap has passed, so the receiver can switch at any time.',
    secretHelp: 'the new secret that the receiver has generated (default: a new one)',
  }),
  enable: apiVerb({
    summary: 'Enable an endpoint, whatever disabled it',
    description:
      'Enables an endpoint, whatever disabled it. `hookline endpoints recover` replays what was dead-lettered in the meantime.',
    argument: 'id',
    call: (api, _values, params) => api.call('POST /v1/endpoints/:id/enable', { params }),
  }),
  disable: apiVerb({
    summary: 'Disable an endpoint; dead-letters its deliveries',
    description:
      'Disables an endpoint. Its open deliveries become dead letters, and so do new ones until it is enabled again.',
    argument: 'id',
    call: (api, _values, params) => api.call('POST /v1/endpoints/:id/disable', { params }),
  }),
  health: apiVerb({
    summary: 'Show how an endpoint does, and what waits for it',
    description:
      'Shows the circuit breaker of an endpoint, its success and latency, what waits and until when, and its last success and failure. A dash is what is not known.',
    argument: 'id',
    call: (api, _values, params) => api.call('GET /v1/endpoints/:id/health', { params }),
    show: (health, screen) => describe(Object.fromEntries(flat(health)), screen),
  }),
  pause: apiVerb({
    summary: 'Pause an endpoint; its deliveries wait',
    description:
      'Pauses an endpoint: its deliveries wait, and their deadlines move by the time of the pause. It ends after 72 hours unless --until says otherwise, and lasts 14 days at most. Pausing again moves its end.',
    argument: 'id',
    options: { until: text('TIME', futureTimeForms) },
    call: (api, { until }, params, { clock }) =>
      api.call('POST /v1/endpoints/:id/pause', {
        params,
        body: { until: readFutureTime('until', until, clock.nowMs()) },
      }),
    show: ({ id, paused_until: until }, screen) => `${id} is paused until ${String(shownTime(until, screen))}`,
  }),
  probe: apiVerb({
    summary: 'Probe an endpoint whose circuit breaker is open now',
    description:
      'Has the delivery that has waited longest sent within seconds, whenever the next probe is due. If it goes well, the others follow slowly.',
    argument: 'id',
    call: (api, _values, params) => api.call('POST /v1/endpoints/:id/probe', { params }),
    show: ({ id }) => `${id} is probed: \`hookline endpoints health ${id}\` shows how that went`,
  }),
  resume: apiVerb({
    summary: 'Resume a paused endpoint',
    description: 'Ends the pause of an endpoint: its deliveries are sent, oldest first, at its own rate.',
    argument: 'id',
    call: (api, _values, params) => api.call('POST /v1/endpoints/:id/resume', { params }),
    show: ({ id }) => `${id} is not paused`,
  }),
  recover: verb({
    summary: 'Replay the dead letters of an endpoint since a time',
    description: `Replays the deliveries to the endpoint that were dead-lettered since a time, oldest first, and shows the progress until what was sent has arrived, or not. Ctrl-C stops watching, not the replay. ${exitCodesOfReplay}`,
    argument: 'id',
    options: { since: text('TIME', timeForms), ...replayLimitOptions, ...waitOptions, ...tenantOption },
    async run(values, params, context) {
      const since = readTime('since', values.since, context.clock.nowMs());
      if (since === undefined) throw usageFailure('missing --since');
      const body = { since, ...readReplayLimits(values) };
      const api = connect(context, values.tenant);
      const start = () => api.call('POST /v1/endpoints/:id/recover', { params, body });
      return runReplay(context, api, start, values);
    },
  }),
  test: apiVerb({
    summary: 'Send a test event to an endpoint and show the outcome',
    description:
      'Sends the endpoint a test event, signed like every delivery, and shows the outcome. Exits 0 if it was delivered, else 1.',
    argument: 'id',
    options: {
      type: text('NAME', 'the type of the event'),
      'payload-file': text('FILE', 'the payload: any JSON'),
    },
    async call(api, { type, 'payload-file': file }, params, context) {
      const body = { type, payload: await readJsonFile(context, 'payload-file', file) };
      return api.call('POST /v1/endpoints/:id/test', { params, body: JSON.stringify(body) });
    },
    show: describeTest,
    exitCode: ({ attempt }) => (attempt?.outcome === 'delivered' ? 0 : 1),
  }),
};

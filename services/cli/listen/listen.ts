import { ApiError, type ApiFailure, type Client, type Value } from '#client';
import type { Clock } from '#lib/runtime';
import { isPublicKey } from '#lib/signatures';
import { connect } from '../api-calls/api.ts';
import { toCommandFailure } from '../api-calls/failures.ts';
import { CommandFailure, usageFailure } from '../command-failure.ts';
import { describeBeginning } from '../commands/endpoints.ts';
import type { listenOptions } from '../commands/tools.ts';
import type { Context } from '../context.ts';
import { readScheme, refuseProblems, schemeSettingOptions, type SchemeValues } from '../options/schemes.ts';
import { readCount, readWholeNumber } from '../options/values.ts';
import { printable, type Screen } from '../output/print.ts';
import type { Values } from '../verb.ts';
import { createJournal, type Trust } from './arrivals.ts';
import { type Forwarded, forwardTo, readTarget, readTypes } from './forward.ts';
import { createListener, readAnswerPlan } from './listener.ts';

export type Made = Value<'POST /v1/endpoints'>;

/** After a kill, an endpoint that nobody prolongs is left for so long. */
const lastsSeconds = 900;
const prolongEveryMs = 300_000;
/** Above the time limit of a forwarded request. */
const timeoutMs = 30_000;

/**
 * Makes an endpoint that lasts as long as `use` does: it is prolonged every so often, and removed in the end. If this process is killed, the
 * API deletes it at its time.
 *
 * @param use ends early by `lost` if the endpoint is gone
 */
export async function withTemporaryEndpoint(
  context: Context,
  wanted: { url: string; event_types: string[]; secret: string | undefined },
  { tenant, use }: { tenant: string | undefined; use(made: Made, lost: AbortSignal): Promise<void> },
): Promise<void> {
  const api = connect(context, tenant);
  const body = {
    ...wanted,
    description: 'hookline listen',
    timeout_ms: timeoutMs,
    expires_in: lastsSeconds,
  };
  const made = await api.call('POST /v1/endpoints', { body }).catch((error: unknown) => {
    throw error instanceof ApiError && codeOf(error) === 'url_not_allowed'
      ? unreachable(error.failure, wanted.url)
      : error;
  });
  const [ended, lost] = [new AbortController(), new AbortController()];
  const prolonging = prolong(api, made.id, { clock: context.clock, ended: ended.signal, lost });
  try {
    await use(made, lost.signal);
  } finally {
    ended.abort();
    await prolonging;
    if (!lost.signal.aborted) await remove(api, made, context);
  }
  if (lost.signal.aborted) throw new CommandFailure(1, `the endpoint ${printable(made.id)} was deleted`);
}

async function prolong(
  api: Client,
  id: string,
  { clock, ended, lost }: { clock: Clock; ended: AbortSignal; lost: AbortController },
): Promise<void> {
  for (;;) {
    await clock.sleep(prolongEveryMs, ended);
    if (ended.aborted) return;
    try {
      await api.call('PATCH /v1/endpoints/:id', { params: { id }, body: { expires_in: lastsSeconds } });
    } catch (error) {
      // The API may be away for a while: until its end, the endpoint is prolonged by the next try.
      if (isGone(error)) return lost.abort();
    }
  }
}

async function remove(api: Client, { id }: Made, { process }: Context): Promise<void> {
  try {
    await api.call('DELETE /v1/endpoints/:id', { params: { id } });
    process.stderr.write(`removed the endpoint ${printable(id)}\n`);
  } catch {
    process.stderr.write(
      `could not remove the endpoint ${printable(id)}: it is deleted within ${lastsSeconds / 60} minutes\n`,
    );
  }
}

const codeOf = (error: unknown): string | undefined =>
  error instanceof ApiError && error.failure.kind === 'problem' ? error.failure.problem.code : undefined;
const isGone = (error: unknown): boolean => ['gone', 'not_found'].includes(codeOf(error) ?? '');

function unreachable(failure: ApiFailure, url: string): CommandFailure {
  const { message, facts } = toCommandFailure(failure, url);
  return new CommandFailure(
    1,
    `${message}\nThis Hookline may not send to ${url}. --poll needs no address that it can reach; --public-url names another, such as a tunnel’s`,
    facts,
  );
}

type ListenValues = Values<typeof listenOptions>;

export async function listen(values: ListenValues, context: Context): Promise<number> {
  const { process, clock, random, screen } = context;
  const { json, tenant, 'public-url': publicUrl } = values;
  const count = readCount(values.count);
  const target = readTarget(values.forward);
  const isAlone = isReceiverAlone(values);
  refuseStray(values, { isAlone });
  const given = readTrust(values);
  let trust = given;
  const journal = createJournal(context, json);

  const ended = new AbortController();
  const end = (): void => ended.abort();
  let answered = 0;
  const listener = createListener({
    host: values.host ?? '127.0.0.1',
    port: readWholeNumber('port', values.port, { min: 0, max: 65_535, otherwise: 0 }),
    trust: () => trust,
    plan: readAnswerPlan(values),
    forward: target === undefined ? undefined : (request) => forward(target, request, context),
    clock,
    random,
    onArrival: (arrival) => journal.add(arrival, trust.scheme?.name),
    onAnswered() {
      answered += 1;
      if (answered >= count) end();
    },
    onBrokenOff: () => void process.stderr.write('a sender disconnected before its body was complete\n'),
  });

  const untilEnded = (signal: AbortSignal): Promise<unknown> =>
    signal.aborted ? Promise.resolve() : new Promise((resolve) => signal.addEventListener('abort', resolve));
  const announce = (made?: Made): void => {
    const url = listener.url();
    const facts = made && { endpoint_id: made.id, secret: made.secret, expires_at: made.expires_at };
    const line = describeListening(url, made, target, screen);
    journal.print({ kind: 'listening', url, ...facts, forward: target }, line);
  };

  await listener.start();
  process.once('SIGINT', end).once('SIGTERM', end);
  try {
    if (isAlone) {
      announce();
      await untilEnded(ended.signal);
    } else {
      const [secret] = given.secrets;
      const wanted = { url: publicUrl ?? listener.url(), event_types: readTypes(values.types), secret };
      await withTemporaryEndpoint(context, wanted, {
        tenant,
        async use(made, lost) {
          trust = { secrets: [made.secret] };
          announce(made);
          await untilEnded(AbortSignal.any([ended.signal, lost]));
        },
      });
    }
  } finally {
    process.removeListener('SIGINT', end).removeListener('SIGTERM', end);
    await listener.stop();
  }
  journal.printSummary();
  return 0;
}

/** The target's status; 502 where it does not answer, so that the delivery is tried again. */
async function forward(target: string, request: Forwarded, { process }: Context): Promise<number> {
  const result = await forwardTo(target, request);
  if ('status' in result) return result.status;
  process.stderr.write(`${printable(`${target} does not answer: ${result.noAnswer}`)}; answered 502 in its place\n`);
  return 502;
}

const ofReceiver = ['port', 'secret', 'scheme'] as const;

/** As it was before there were temporary endpoints: for endpoints of one's own, and for senders. */
const isReceiverAlone = (values: ListenValues): boolean =>
  values['public-url'] === undefined && ofReceiver.some((name) => values[name] !== undefined);

function refuseStray(values: ListenValues, { isAlone }: { isAlone: boolean }): void {
  if (values.since !== undefined) throw usageFailure('--since goes with --poll');
  if (values.forward !== undefined && (values.status !== undefined || values.fail !== undefined))
    throw usageFailure('--forward answers with the status of its URL: it excludes --status and --fail');
  if (isAlone && values.types !== undefined)
    throw usageFailure('--types is for the temporary endpoint, and there is none with --port, --secret or --scheme');
  if (!isAlone && (values.secret?.length ?? 0) > 1) throw usageFailure('an endpoint is made with one --secret');
  if (!isAlone && values.scheme !== undefined) throw usageFailure('--public-url excludes --scheme');
}

function describeListening(url: string, made: Made | undefined, target: string | undefined, screen: Screen): string {
  const forwarding = target === undefined ? '' : `, forwarding to ${target}`;
  if (made === undefined) return `listening on ${url}${forwarding}`;
  return [
    `listening on ${url} as the temporary endpoint ${made.id}${forwarding}`,
    `its secret is ${made.secret}`,
    describeBeginning(made, screen),
  ].join('\n');
}

function readTrust(values: SchemeValues): Trust {
  const { secret: secrets = [] } = values;
  if (values.scheme !== undefined) {
    const { scheme, settings } = readScheme(values, 'verify');
    return { secrets, scheme: { name: scheme, settings } };
  }
  const stray = Object.keys(schemeSettingOptions).find((name) => values[name as keyof SchemeValues] !== undefined);
  if (stray !== undefined) throw usageFailure(`--${stray} goes with --scheme`);
  for (const secret of secrets)
    refuseProblems(isPublicKey(secret) ? 'standard-webhooks' : 'hookline', { settings: {}, secret });
  return { secrets };
}

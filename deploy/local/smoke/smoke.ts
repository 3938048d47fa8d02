/**
 * One signed webhook through a running stack, watched at every hop at once:
 *
 *   ingress (202) → Kafka (webhooks.received) → dedup (events) → dispatcher (a receiver of our own) → projector and API (completed)
 *
 * The first hop, in this order, that was not seen in time is the one that is stuck.
 */
import { randomUUID } from 'node:crypto';
import { signHookline } from '#lib/signatures';
import { StackError } from '../failure.ts';
import { until } from '../processes/until.ts';
import { countAppended } from '../servers/kafka-protocol.ts';
import { stackPartNames } from '../stack/ports.ts';
import { type RunningStack, supervisorName } from '../stack/stack.ts';
import { type ApiClient, createApiClient } from './api-client.ts';
import { type HttpAnswer, request } from './http-request.ts';
import { startSmokeReceiver, type SmokeReceiver } from './smoke-receiver.ts';
import { isSettled, provideSmokeTarget, type SmokeTarget } from './smoke-target.ts';

export interface SmokeOptions {
  apiUrl: string;
  adminKey: string;
  kafkaPort: number;
  topicPrefix: string;
  receiverPort: number;
  /** Keeps source and endpoint from one smoke to the next. */
  stateFile: string;
  processes: RunningStack['processes'];
  receiver: RunningStack['receiver'];
  timeoutMs: number;
  say: (line: string) => void;
}

interface Stage {
  name: string;
  /** The processes that may be the cause. */
  by: readonly string[];
  /** Resolves with what was seen, and when. */
  seen: Promise<{ what: string; atMs: number }>;
}

interface Event {
  id: string;
  status: string;
}

/**
 * A tenant of its own: its event goes to its endpoint alone, and no endpoint of the user's, healthy or not, gets it or has a say in when
 * it is completed.
 */
export const smokeTenant = 'hookline-smoke';
const receiverPath = '/hookline-smoke';
const pollMs = 10;
const shownLogLines = 15;
const shownLineLength = 400;

/** The event that a smoke has made. */
export interface SmokeEvent {
  id: string;
  tenant: string;
}

/** The event's page, as a path of the console. */
export const pageOf = ({ id, tenant }: SmokeEvent): string => `/t/${tenant}/events/${id}`;

/** @throws StackError naming the stage that is stuck, with the last lines of its log */
export async function smoke(options: SmokeOptions): Promise<SmokeEvent> {
  const { say } = options;
  const receiver = await startSmokeReceiver({
    port: options.receiverPort,
    path: receiverPath,
    ...options.receiver,
  });
  try {
    const api = createApiClient({ url: options.apiUrl, adminKey: options.adminKey, tenant: smokeTenant });
    const target = await at('poll API', ['api'], options.processes, () => findTarget(options, api, receiver.url));
    receiver.expect(target.endpoint.secret);
    if (!isSettled(target, Date.now())) {
      say('waiting until the new endpoint counts, two seconds: it gets only what is accepted after that');
      await until('the endpoint to count', () => isSettled(target, Date.now()) || undefined, {
        timeoutMs: 30_000,
      });
    }
    const { stages, completed } = await send(options, api, target, receiver);
    await watch(stages, options);
    return { id: (await completed).id, tenant: smokeTenant };
  } finally {
    await receiver.stop();
  }
}

/** Waits out an API that does not answer at the moment, not one that refuses. */
async function findTarget(options: SmokeOptions, api: ApiClient, receiverUrl: string): Promise<SmokeTarget> {
  let refusal: string | undefined;
  const provide = async (): Promise<SmokeTarget> => {
    try {
      return await provideSmokeTarget({ api, file: options.stateFile, receiverUrl });
    } catch (error) {
      if (error instanceof StackError) refusal = error.message;
      throw error;
    }
  };
  return until("the smoke's source and endpoint", provide, {
    timeoutMs: options.timeoutMs,
    hopeless: () => refusal ?? absenceOf(['api'], options.processes),
  });
}

/** Names the processes that do not run and that nothing will restart. */
function absenceOf(names: readonly string[], processes: SmokeOptions['processes']): string | undefined {
  const ended = names.find((name) => processes.pid(name) === undefined);
  return ended === undefined || processes.pid(supervisorName) !== undefined ? undefined : `${ended} does not run`;
}

/** Sends it, and watches for it at every stage from before it is sent. */
async function send(
  options: SmokeOptions,
  api: ApiClient,
  target: SmokeTarget,
  receiver: SmokeReceiver,
): Promise<{ stages: Stage[]; completed: Promise<Event> }> {
  const { kafkaPort, topicPrefix, timeoutMs, processes } = options;
  const received = `${topicPrefix}webhooks.received`;
  const events = `${topicPrefix}events`;
  const watching = <T>(by: readonly string[], what: string, ask: () => T | Promise<T>) =>
    until(what, ask, { timeoutMs, everyMs: pollMs, hopeless: () => absenceOf(by, processes) });
  const before = new Map<string, bigint>();
  await at('kafka', ['kafka'], processes, async () => {
    for (const topic of [received, events])
      before.set(topic, await watching(['kafka'], `the end of ${topic}`, () => countAppended(kafkaPort, topic)));
  });

  const body = JSON.stringify({ id: randomUUID(), type: 'hookline.smoke', sent_at: new Date().toISOString() });
  const startMs = performance.now();
  const sinceStart = (what: string, atMs = performance.now()) => ({ what, atMs: atMs - startMs });
  const grown = async (topic: string) =>
    (await countAppended(kafkaPort, topic)) > (before.get(topic) ?? 0n) || undefined;

  const accepted = watching(['ingress'], '202 from the ingress', () => post(target, body)).then((answer) => {
    if (answer.status !== 202) throw new StackError(`the ingress answered ${answer.status}: ${answer.body}`);
    return (JSON.parse(answer.body) as { id: string }).id;
  });
  const completed = accepted.then((receiptId) =>
    watching(['projector', 'api'], 'the event to be completed', () => findCompleted(api, receiptId)),
  );
  const stages: Stage[] = [
    { name: 'ingress', by: ['ingress'], seen: accepted.then((receiptId) => sinceStart(`202 ${receiptId}`)) },
    {
      name: 'kafka',
      by: ['kafka'],
      seen: watching(['kafka'], `a record on ${received}`, () => grown(received)).then(() =>
        sinceStart(`on ${received}`),
      ),
    },
    {
      name: 'dedup',
      by: ['dedup'],
      seen: watching(['dedup'], `a record on ${events}`, () => grown(events)).then(() =>
        sinceStart(`a new event on ${events}`),
      ),
    },
    {
      name: 'dispatcher',
      by: ['dispatcher'],
      seen: watching(['dispatcher'], `a delivery to ${receiver.url}`, () => receiver.arrivalOf(body)).then(
        ({ verified, attempt, atMs }) => {
          if (!verified) throw new StackError('it arrived, but its Hookline-Signature does not verify');
          return sinceStart(`delivered to ${receiver.url}, signature verified, attempt ${attempt}`, atMs);
        },
      ),
    },
    {
      name: 'poll API',
      by: ['projector', 'api'],
      seen: completed.then(({ id }) => {
        const delivered = receiver.arrivalOf(body)?.eventId;
        if (delivered !== id) throw new StackError(`the API says ${id}, the receiver got ${delivered}`);
        return sinceStart(`${id} completed`);
      }),
    },
  ];
  // Each is looked at in its turn; until then it is no unhandled rejection.
  for (const stage of stages) stage.seen.catch(() => undefined);
  return { stages, completed };
}

/** @throws Error if a retry may help, as for any sender: no connection, no room, Kafka away */
async function post(target: SmokeTarget, body: string): Promise<HttpAnswer> {
  const timestampSeconds = Math.floor(Date.now() / 1000);
  const answer = await request(target.source.ingest_url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'hookline-signature': signHookline({ secret: target.source.secret, timestampSeconds, body }),
    },
    body,
    timeoutMs: 10_000,
  });
  if (answer.status === 503) throw new Error(`it answered 503: ${answer.body}`);
  return answer;
}

async function findCompleted(api: ApiClient, receiptId: string): Promise<Event | undefined> {
  const [event] = await api.get<Event[]>(`/v1/events?receipt_id=${encodeURIComponent(receiptId)}`);
  return event?.status === 'completed' ? event : undefined;
}

async function watch(stages: readonly Stage[], { processes, say }: SmokeOptions): Promise<void> {
  const seenAt: number[] = [];
  stages.forEach(({ seen }, i) => void seen.then(({ atMs }) => (seenAt[i] = atMs)).catch(() => undefined));
  for (const [i, { name, by, seen }] of stages.entries()) {
    const { what } = await at(name, by, processes, () => seen);
    // Seen a few milliseconds late, by asking: what a later stage has had by then was here before.
    const atMs = Math.min(...seenAt.slice(i).filter((ms) => ms !== undefined));
    say(`  ${name.padEnd(10)} ${atMs.toFixed(0).padStart(6)} ms  ${what}`);
  }
}

/** @throws StackError with the stage, the last log lines of the possible causes, and the processes that should run and don't */
async function at<T>(
  stage: string,
  by: readonly string[],
  processes: SmokeOptions['processes'],
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const absent = stackPartNames.filter((name) => processes.pid(name) === undefined);
    const lines = by.flatMap((name) =>
      processes.lastLogLines(name, shownLogLines).map((line) => `  ${name} | ${line.slice(0, shownLineLength)}`),
    );
    const absence = absent.length === 0 ? [] : [`not running: ${absent.join(', ')} (make up starts them)`];
    throw new StackError([`stuck at ${stage}: ${(error as Error).message}`, ...lines, ...absence].join('\n'), {
      cause: error,
    });
  }
}

/**
 * Sender and receiver of a comparison, in one process with one clock; a child with a channel to its parent (traffic.ts). The receiver has a port
 * for each of ten endpoints and is there for all runs, so that no system ever meets one that is gone. Before it is ready it sends some
 * thousand events to itself: what it costs later is not what compiling costs.
 */
import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { answerRaw, createRawServer } from '../../traffic/raw-server.ts';
import { createRunLog, type RunLog } from './run-log.ts';
import type { FromTraffic, ToTraffic, TrafficJob, WaitLimits } from './job.ts';
import { payloads } from './payloads.ts';
import { createRequests, eventIdIn } from './requests.ts';
import { createSender } from './sender.ts';

const endpoints = 10;
const warmUpSeconds = 1.5;
/** Requests are made before the first is due as long as they take no more than that. */
const mostPreparedBytes = 300 * 1024 * 1024;
const drainLookMs = 50;

interface Run {
  job: TrafficJob;
  log: RunLog;
  request: (number: number) => Buffer;
}

let current: Run | undefined;
/** Runs that have ended with something outstanding, by their names: it may still come. */
const unsettled = new Map<string, Pick<Run, 'job' | 'log'>>();

function take(endpoint: number, body: Buffer, socket: Socket): void {
  const id = eventIdIn(body);
  if (id === undefined || id.run !== current?.job.run) {
    current?.log.stray();
    if (id !== undefined) takeLate(endpoint, id);
    return answerRaw(socket, 200);
  }
  const { job, log } = current;
  if (hangs(job, endpoint))
    return void delay(job.hangsForMs, undefined, { ref: false }).then(() => answerRaw(socket, 200));
  log.arrived(endpoint, id.number);
  answerRaw(socket, 200);
}

function takeLate(endpoint: number, { run, number }: { run: string; number: number }): void {
  const late = unsettled.get(run);
  if (late !== undefined && !hangs(late.job, endpoint)) late.log.arrived(endpoint, number);
}

const hangs = ({ hangsForMs }: TrafficJob, endpoint: number): boolean => endpoint === 0 && hangsForMs !== undefined;

async function listen(endpoint: number): Promise<Server> {
  const server = createRawServer(({ body }, socket) => take(endpoint, body, socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function prepare(job: TrafficJob): void {
  const make = createRequests(job.target, payloads);
  const makeNumbered = (number: number): Buffer => make(`${job.run}-${number}`, number);
  current = {
    job,
    log: createRunLog(job.endpoints, job.hangsForMs === undefined ? 0 : 1),
    request: preparedRequests(job, makeNumbered),
  };
}

/** Requests of an open loop are made beforehand: then making and signing them takes no processor time from the measurement. */
function preparedRequests({ pace }: TrafficJob, make: (number: number) => Buffer): (number: number) => Buffer {
  if (pace.kind === 'closed' || pace.count * make(0).length > mostPreparedBytes) return make;
  const prepared = Array.from({ length: pace.count }, (_, number) => make(number));
  return (number) => prepared[number] as Buffer;
}

async function publish(): Promise<void> {
  if (current === undefined) throw new Error('nothing is prepared');
  const { job, log, request } = current;
  const { target, connections, sendsAgain, tellAfter } = job;
  const sender = createSender({
    target,
    connections,
    sendsAgain,
    request,
    onDue: log.due,
    onAcknowledged(number) {
      if (log.acknowledged(number) === tellAfter) tell({ kind: 'reached' });
    },
    onFailure: log.failed,
    onSentAgain: log.sentAgain,
  });
  log.start();
  const { published, lateMs } = await sender.publish(job.pace);
  log.published(published, lateMs);
}

async function drain(limits: WaitLimits): Promise<void> {
  if (current === undefined) throw new Error('nothing is prepared');
  const { job, log } = current;
  await waitFor(() => log.now(), limits);
  const record = log.end();
  if (log.now().outstanding > 0) unsettled.set(job.run, { job, log });
  tell({ kind: 'drained', record });
}

async function settle(limits: WaitLimits): Promise<void> {
  const outstanding = (): [run: string, count: number][] =>
    [...unsettled]
      .map(([run, { log }]): [string, number] => [run, log.now().outstanding])
      .filter(([, count]) => count > 0);
  const now = () => {
    const count = outstanding().reduce((sum, [, each]) => sum + each, 0);
    return { arrived: -count, outstanding: count };
  };
  await waitFor(now, limits);
  tell({ kind: 'settled', outstanding: Object.fromEntries(outstanding()) });
}

/** Ends when nothing is outstanding, or at one of the limits: of the time in all, or without an arrival. */
async function waitFor(
  now: () => { arrived: number; outstanding: number },
  { atMostMs, idleMs }: WaitLimits,
): Promise<void> {
  const endsAtMs = performance.now() + atMostMs;
  let [known, knownAtMs] = [Number.NaN, 0];
  for (;;) {
    const nowMs = performance.now();
    const { arrived, outstanding } = now();
    if (arrived !== known) [known, knownAtMs] = [arrived, nowMs];
    if (outstanding === 0 || nowMs > endsAtMs || nowMs - knownAtMs > idleMs) return;
    await delay(drainLookMs);
  }
}

const tell = (message: FromTraffic): void => void process.send?.(message);

const servers = await Promise.all(Array.from({ length: endpoints }, (_, endpoint) => listen(endpoint)));
const ports = servers.map((server) => (server.address() as AddressInfo).port);
prepare({
  run: 'warm',
  target: { host: '127.0.0.1', port: ports[0] ?? 0, path: '/', headers: {}, before: '', after: '' },
  pace: { kind: 'closed', seconds: warmUpSeconds },
  connections: 64,
  endpoints: 1,
  hangsForMs: undefined,
  sendsAgain: false,
  tellAfter: undefined,
});
await publish();
current?.log.end();
current = undefined;
unsettled.clear();

process.on('message', (message: ToTraffic) => {
  if (message.kind === 'prepare') {
    prepare(message.job);
    tell({ kind: 'prepared' });
  } else if (message.kind === 'publish') void publish().then(() => tell({ kind: 'published' }));
  else if (message.kind === 'drain') void drain(message);
  else void settle(message);
});
process.on('disconnect', () => process.exit(0));
tell({ kind: 'ready', ports });

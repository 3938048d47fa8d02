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
import type { FromTraffic, ToTraffic, TrafficJob } from './job.ts';
import { payloads } from './payloads.ts';
import { createRequests, eventIdIn } from './requests.ts';
import { createSender } from './sender.ts';

const endpoints = 10;
const warmUpSeconds = 1.5;
/** Requests are made before the first is due as long as they take no more than that. */
const mostPreparedBytes = 300 * 1024 * 1024;
const drainLookMs = 50;

let current: { job: TrafficJob; log: RunLog; request: (number: number) => Buffer } | undefined;

function take(endpoint: number, body: Buffer, socket: Socket): void {
  const id = eventIdIn(body);
  if (current === undefined || id === undefined || id.run !== current.job.run) {
    current?.log.stray();
    return answerRaw(socket, 200);
  }
  const { job, log } = current;
  if (endpoint === 0 && job.hangsForMs !== undefined)
    return void delay(job.hangsForMs, undefined, { ref: false }).then(() => answerRaw(socket, 200));
  log.arrived(endpoint, id.number);
  answerRaw(socket, 200);
}

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
    ...{ target, connections, sendsAgain, request },
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

async function drain(atMostMs: number, idleMs: number): Promise<void> {
  if (current === undefined) throw new Error('nothing is prepared');
  const { log } = current;
  const endsAtMs = performance.now() + atMostMs;
  let [known, knownAtMs] = [-1, 0];
  for (;;) {
    const nowMs = performance.now();
    const { arrived, outstanding } = log.now();
    if (arrived !== known) [known, knownAtMs] = [arrived, nowMs];
    if (outstanding === 0 || nowMs > endsAtMs || nowMs - knownAtMs > idleMs) break;
    await delay(drainLookMs);
  }
  tell({ kind: 'drained', record: log.end() });
}

const tell = (message: FromTraffic): void => void process.send?.(message);

const servers = await Promise.all(Array.from({ length: endpoints }, (_, endpoint) => listen(endpoint)));
const ports = servers.map((server) => (server.address() as AddressInfo).port);
prepare({
  run: 'warm',
  target: { host: '127.0.0.1', port: ports[0] ?? 0, path: '/', headers: {}, before: '', after: '' },
  pace: { kind: 'closed', seconds: warmUpSeconds },
  ...{ connections: 64, endpoints: 1, hangsForMs: undefined, sendsAgain: false, tellAfter: undefined },
});
await publish();
current?.log.end();
current = undefined;

process.on('message', (message: ToTraffic) => {
  if (message.kind === 'prepare') {
    prepare(message.job);
    tell({ kind: 'prepared' });
  } else if (message.kind === 'publish') void publish().then(() => tell({ kind: 'published' }));
  else void drain(message.atMostMs, message.idleMs);
});
process.on('disconnect', () => process.exit(0));
tell({ kind: 'ready', ports });

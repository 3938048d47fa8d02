/**
 * A receiver of retries, in a process of its own: `node retry-receiver-process.ts <refusals> <wait in ms>`, a child with a channel to its
 * parent. It refuses each delivery so many times and then takes it. It keeps how late each request came: the first by the due time in the
 * payload, the next ones by its own refusal and the wait that follows one.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RetryPayload {
  phase: string;
  /** In milliseconds since the epoch. */
  dueAtMs: number;
}

/** The arrivals of a phase. */
export interface Arrivals {
  taken: number;
  /** When each came, and how long after it was due, in milliseconds. */
  atMs: number[];
  lateMs: number[];
}

export interface ReceiverOrder {
  phase: string;
  /** Or only how many were taken. */
  all: boolean;
}

const [refusals, waitMs] = process.argv.slice(2).map(Number) as [number, number];
const phases = new Map<string, Arrivals>();
/** By event (each has one delivery): its requests so far, and when the next is due. */
const seen = new Map<string, { requests: number; dueAtMs: number }>();

const nowMs = (): number => performance.timeOrigin + performance.now();

function phaseOf(name: string): Arrivals {
  const phase = phases.get(name) ?? { taken: 0, atMs: [], lateMs: [] };
  phases.set(name, phase);
  return phase;
}

const server = createServer((request, response) => {
  const arrivedAtMs = nowMs();
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { phase: name, dueAtMs } = JSON.parse(Buffer.concat(chunks).toString()) as RetryPayload;
    const id = String(request.headers['webhook-id']);
    const delivery = seen.get(id) ?? { requests: 0, dueAtMs };
    const phase = phaseOf(name);
    phase.atMs.push(arrivedAtMs);
    phase.lateMs.push(arrivedAtMs - delivery.dueAtMs);
    const isRefused = delivery.requests < refusals;
    seen.set(id, { requests: delivery.requests + 1, dueAtMs: nowMs() + waitMs });
    if (!isRefused) phase.taken += 1;
    // A 4xx judges the delivery, not the endpoint: no breaker takes part in what is measured.
    response.writeHead(isRefused ? 409 : 200).end();
  });
});
server.keepAliveTimeout = 60_000;

process.on('message', ({ phase, all }: ReceiverOrder) => {
  const arrivals = phaseOf(phase);
  process.send?.(all ? arrivals : { ...arrivals, atMs: [], lateMs: [] });
});
process.on('disconnect', () => process.exit(0));
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));

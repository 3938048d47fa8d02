/**
 * Receivers of some endpoints, in a process of their own: `node receiver-process.ts <latency in ms>`, a child with a channel to its parent.
 * It reports its port, takes orders, and answers each: how to behave, or what has arrived. For each event it keeps how late its first
 * arrival was, by the time in the payload.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export type Behaviour = 'answer' | 'hang' | 'refuse';
export type Order = { behave: Behaviour } | 'report';

export interface BenchPayload {
  /** When the event was due to be published, in milliseconds since the epoch. */
  dueAtMs: number;
  phase: string;
}

/** For each phase, by event: milliseconds from its due time to its first arrival. */
export type Arrivals = Record<string, Record<string, number>>;

const latencyMs = Number(process.argv[2]);
const arrivals: Arrivals = {};
let behaviour: Behaviour = 'answer';

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { dueAtMs, phase } = JSON.parse(Buffer.concat(chunks).toString()) as BenchPayload;
    const seen = (arrivals[phase] ??= {});
    seen[String(request.headers['webhook-id'])] ??= performance.timeOrigin + performance.now() - dueAtMs;
    if (behaviour === 'answer') void delay(latencyMs).then(() => response.writeHead(200).end());
  });
});
server.keepAliveTimeout = 60_000;

function listen(port: number): void {
  server.listen(port, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
}

function behave(next: Behaviour): void {
  behaviour = next;
  if (next !== 'refuse') return void process.send?.('done');
  server.close(() => process.send?.('done'));
  server.closeAllConnections();
}

process.on('message', (order: Order) => {
  if (order === 'report') process.send?.(arrivals);
  else behave(order.behave);
});
process.on('disconnect', () => process.exit(0));
listen(0);

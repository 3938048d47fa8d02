/**
 * Answers every request at once: a child process. It sends its port to its parent and, on request, the numbers of requests and events since
 * the last reset, and their duration.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Order = 'begin' | 'report';

export interface Taken {
  requests: number;
  events: number;
  /** From the first request to the last. */
  seconds: number;
}

let requests = 0;
let events = new Set<string>();
let [firstMs, lastMs] = [0, 0];

const server = createServer((request, response) => {
  request.resume().once('end', () => {
    lastMs = performance.now();
    if (requests === 0) firstMs = lastMs;
    requests += 1;
    events.add(String(request.headers['webhook-id']));
    response.writeHead(200).end();
  });
});
server.keepAliveTimeout = 60_000;

process.on('message', (order: Order) => {
  if (order === 'begin') {
    requests = 0;
    events = new Set();
  }
  const taken: Taken = { requests, events: events.size, seconds: (lastMs - firstMs) / 1e3 };
  process.send?.(taken);
});
process.on('disconnect', () => process.exit(0));
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));

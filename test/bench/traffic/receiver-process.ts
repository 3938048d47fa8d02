/**
 * The endpoints' receivers, in a process of their own; a child with a channel to its parent. It tells its port, and once a second what has
 * arrived since, so that it holds no more after an hour than after a minute; the message `rest` has it tell the rest at once.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from '../../support/seeded-random.ts';
import { soakEndpoints } from './endpoints.ts';

/** A request that was answered with 200. */
export interface Taken {
  endpoint: string;
  eventId: string;
  /** When it had come in whole. */
  atMs: number;
}

export type ReceiverMessage = { port: number } | { taken: Taken[]; requests: number; isRest: boolean };

const tellEveryMs = 1_000;
const random = seededRandom(Date.now());
let taken: Taken[] = [];
let requests = 0;

async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
  await buffer(request);
  const atMs = Date.now();
  requests += 1;
  const name = request.url?.slice(1) ?? '';
  const eventId = String(request.headers['webhook-id']);
  const endpoint = soakEndpoints.find((each) => each.name === name);
  if (endpoint === undefined) throw new Error(`there is no endpoint ${name}`);
  const reaction = endpoint.react({ eventId, nowMs: atMs, random });
  if (reaction === 'hang') return;
  if (reaction === 'reset') return void request.socket.resetAndDestroy();
  if (reaction.delayMs !== undefined) await delay(reaction.delayMs);
  if (reaction.status === 200) taken.push({ endpoint: name, eventId, atMs });
  response.writeHead(reaction.status).end();
}

function tell(isRest: boolean): void {
  process.send?.({ taken, requests, isRest } satisfies ReceiverMessage);
  taken = [];
  requests = 0;
}

const server = createServer((request, response) => void take(request, response).catch(() => response.destroy()));
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port } satisfies ReceiverMessage);
  setInterval(() => tell(false), tellEveryMs);
});
process.on('message', () => tell(true));
process.on('disconnect', () => process.exit(0));

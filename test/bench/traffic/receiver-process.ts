/**
 * The endpoints' receivers; a child process. It sends its port and, once a second, the new arrivals, so that it holds no more after an hour
 * than after a minute; the message `rest` makes it send the remaining ones at once.
 */
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from '../../support/seeded-random.ts';
import { soakEndpoints } from './endpoints.ts';
import { answerRaw, createRawServer, type RawRequest } from './raw-server.ts';

/** A request that was answered with 200. */
interface Taken {
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

async function take({ path, eventId }: RawRequest, socket: Socket): Promise<void> {
  const atMs = Date.now();
  requests += 1;
  const name = path.slice(1);
  const endpoint = soakEndpoints.find((each) => each.name === name);
  if (endpoint === undefined) throw new Error(`there is no endpoint ${name}`);
  const reaction = endpoint.react({ eventId, nowMs: atMs, random });
  if (reaction === 'hang') return;
  if (reaction === 'reset') return void socket.resetAndDestroy();
  if (reaction.delayMs !== undefined) await delay(reaction.delayMs);
  if (reaction.status === 200) taken.push({ endpoint: name, eventId, atMs });
  answerRaw(socket, reaction.status);
}

function tell(isRest: boolean): void {
  process.send?.({ taken, requests, isRest } satisfies ReceiverMessage);
  taken = [];
  requests = 0;
}

const server = createRawServer((request, socket) => void take(request, socket).catch(() => socket.destroy()));
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port } satisfies ReceiverMessage);
  setInterval(() => tell(false), tellEveryMs);
});
process.on('message', () => tell(true));
process.on('disconnect', () => process.exit(0));

import { hash } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { openMoreListeners, queueOfEach } from '#lib/net';
import type { Arrival } from '../faults/checker/history.ts';

/** How a receiver takes one request. */
export type Reaction =
  | { status: number; delayMs?: number; until?: Promise<void>; headers?: Record<string, string>; body?: string }
  | 'hang'
  | 'reset';

/** A request before it is answered. */
export interface ReceivedRequest {
  /** The endpoint's name. */
  name: string;
  attempt: number;
  eventId: string;
  method: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface Receiver {
  /** The URL of an endpoint of this name. */
  url(name: string): string;
  /** Once the endpoint exists: what was sent to its URL is known by its id, and verified with its secret. */
  register(name: string, endpoint: { id: string; secret: string }): void;
  /** The reaction to the next requests, until it is changed. Default: 200 at once. */
  react(reaction: (request: ReceivedRequest) => Reaction): void;
  /** Every request that came in whole, in order. */
  readonly arrivals: readonly Arrival[];
  stop(): Promise<void>;
}

/** On a busy machine a turn of the event loop takes long; connections that wait one turn each would time out before they are accepted. */
const moreListeners = 31;

/** Fails the given share of requests; a seeded `random` makes it the same every time. */
export const failing =
  (share: number, status: number, random: () => number): (() => Reaction) =>
  () => ({ status: random() < share ? status : 200 });

/**
 * A receiver of any number of endpoints that writes down every arrival, and has outsiders' code verify every signature.
 *
 * @param at the address to listen on, and the name that senders know it by: containers do not see this machine's loopback
 */
export async function startReceiver(at = { listenOn: '127.0.0.1', host: '127.0.0.1' }): Promise<Receiver> {
  const arrivals: Arrival[] = [];
  const endpoints = new Map<string, { id: string; secret: string }>();
  let reactTo: Parameters<Receiver['react']>[0] = () => ({ status: 200 });

  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const name = decodeURIComponent(request.url?.slice(1) ?? '');
    const endpoint = endpoints.get(name);
    const header = (key: string): string => String(request.headers[key] ?? '');
    const attempt = Number(header('hookline-attempt'));
    const arrival: Arrival & { answered: number | null; answeredAtMs: number | null } = {
      endpointId: endpoint?.id ?? name,
      eventId: header('webhook-id'),
      attempt,
      signedAtMs: 1_000 * Number(header('webhook-timestamp')),
      atMs: Date.now(),
      bodySha256: hash('sha256', body),
      answered: null,
      answeredAtMs: null,
      signatures: endpoint === undefined ? { registered: false } : verify(endpoint.secret, body, header),
    };
    arrivals.push(arrival);
    const { method = '', headers } = request;
    const reaction = reactTo({ name, attempt, eventId: arrival.eventId, method, headers, body });
    if (reaction === 'hang') return;
    if (reaction === 'reset') return void request.socket.resetAndDestroy();
    if (reaction.delayMs !== undefined) await delay(reaction.delayMs);
    await reaction.until;
    arrival.answered = reaction.status;
    arrival.answeredAtMs = Date.now();
    response.writeHead(reaction.status, reaction.headers).end(reaction.body);
  };

  const server = createServer((request, response) => {
    // A sender that is killed half-way leaves half a body: that is no arrival.
    take(request, response).catch(() => response.destroy());
  });
  const address = { host: at.listenOn, port: 0, reusePort: true, backlog: queueOfEach };
  await new Promise<void>((resolve) => server.listen(address, resolve));
  const listeners = [server, ...(await openMoreListeners(server, moreListeners))];
  const { port } = server.address() as AddressInfo;

  return {
    url: (name) => `http://${at.host}:${port}/${encodeURIComponent(name)}`,
    register: (name, endpoint) => void endpoints.set(name, endpoint),
    react: (reaction) => (reactTo = reaction),
    arrivals,
    async stop() {
      const closed = listeners.map((listener) => new Promise((resolve) => listener.close(resolve)));
      server.closeAllConnections();
      await Promise.all(closed);
    },
  };
}

const toleranceSeconds = 300;
// It wants an API key to be made; verifying uses none.
const { webhooks: stripeWebhooks } = new Stripe('sk_test_unused');

function verify(secret: string, body: Buffer, header: (key: string) => string): Arrival['signatures'] {
  // Its constructEvent would parse the body; what is judged here is the signature.
  const { signature } = stripeWebhooks;
  if (signature === null) throw new Error('this release of stripe verifies in another way');
  return {
    stripe: accepts(() => signature.verifyHeader(body, header('hookline-signature'), secret, toleranceSeconds)),
    standardwebhooks: accepts(() =>
      new Webhook(secret).verify(
        body,
        {
          'webhook-id': header('webhook-id'),
          'webhook-timestamp': header('webhook-timestamp'),
          'webhook-signature': header('webhook-signature'),
        },
        { jsonParse: false },
      ),
    ),
  };
}

function accepts(verification: () => unknown): boolean {
  try {
    verification();
    return true;
  } catch {
    return false;
  }
}

import type { IncomingMessage, RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { signHookline } from '#lib/signatures';
import { startLocalReceiver } from './local-receiver.ts';

interface Arrival {
  eventId: string;
  attempt: string;
  verified: boolean;
  /** Time by performance.now(). */
  atMs: number;
}

export interface SmokeReceiver {
  url: string;
  /** The request that came with this body to this path, if any. */
  arrivalOf(body: string): Arrival | undefined;
  /** Verifies with this secret from now on. */
  expect(secret: string): void;
  stop(): Promise<void>;
}

interface Options {
  port: number;
  /** A path of its own. */
  path: string;
  /** The dispatcher's name for this machine. */
  host: string;
  /** The addresses that this leads to. */
  listenOn: readonly string[];
}

/** Receives the deliveries of one endpoint. A request to another path is for a forgotten endpoint: 410 disables that. */
export async function startSmokeReceiver({ port, path, host, listenOn }: Options): Promise<SmokeReceiver> {
  const arrivals = new Map<string, Arrival>();
  let secret: string | undefined;
  const take: RequestListener = (request, response) => {
    const answer = (status: number): void => void response.writeHead(status).end();
    if (request.url !== path) return answer(410);
    buffer(request).then(
      (body) => {
        const verified = secret !== undefined && isSigned(request, body, secret);
        const { 'webhook-id': eventId, 'hookline-attempt': attempt } = request.headers;
        arrivals.set(body.toString(), {
          eventId: String(eventId),
          attempt: String(attempt),
          verified,
          atMs: performance.now(),
        });
        answer(verified ? 204 : 400);
      },
      () => response.destroy(),
    );
  };
  const { stop } = await startLocalReceiver({ name: 'the receiver of make smoke', port, listenOn, take });
  return {
    url: `http://${host}:${port}${path}`,
    arrivalOf: (body) => arrivals.get(body),
    expect: (given) => (secret = given),
    stop,
  };
}

function isSigned(request: IncomingMessage, body: Buffer, secret: string): boolean {
  const header = String(request.headers['hookline-signature'] ?? '');
  const [, timestamp] = /^t=(\d+),/.exec(header) ?? [];
  return timestamp !== undefined && header === signHookline({ secret, timestampSeconds: Number(timestamp), body });
}

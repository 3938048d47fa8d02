import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Arrival {
  eventId: string;
  number: number;
  atMs: number;
}

export interface RecoveringReceiver {
  url: string;
  /** In the order in which they came. */
  arrivals: readonly Arrival[];
  /** From then on, connections are refused. */
  goDown(): Promise<void>;
  comeUp(): Promise<void>;
}

/** Takes what it is sent, while it is up; each payload is a number. */
export async function startRecoveringReceiver(latencyMs: number): Promise<RecoveringReceiver> {
  const arrivals: Arrival[] = [];
  let server: Server | undefined;
  let port = 0;

  async function comeUp(): Promise<void> {
    const next = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const number = Number(Buffer.concat(chunks).toString());
        arrivals.push({ eventId: String(request.headers['webhook-id']), number, atMs: performance.now() });
        setTimeout(() => response.writeHead(200).end(), latencyMs);
      });
    });
    next.keepAliveTimeout = 60_000;
    await new Promise<void>((resolve) => next.listen(port, '127.0.0.1', resolve));
    port = (next.address() as AddressInfo).port;
    server = next;
  }

  async function goDown(): Promise<void> {
    const current = server;
    if (current === undefined) return;
    server = undefined;
    const closed = new Promise((resolve) => current.close(resolve));
    current.closeAllConnections();
    await closed;
  }

  await comeUp();
  return { url: `http://127.0.0.1:${port}/`, arrivals, comeUp, goDown };
}

import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { authorization } from './keys.ts';

/** One who asks again as soon as it is answered, on one connection: as little as a client can be, so that what is measured is the server. */
interface HeldClient {
  /** The number of its answers with events. */
  told: number;
  socket: Socket;
}

export interface HeldClients {
  all: readonly HeldClient[];
  ofTenant(tenant: string): readonly HeldClient[];
  close(): void;
}

const waitSeconds = 60;
const connectingAtOnce = 50;
const betweenConnectingMs = 200;
/** On a busy machine, many requests at once are more than the server takes. */
const tryAgainMs = 2_000;

/** @param onTold with when it was */
export async function holdClients(
  port: number,
  tenantOf: (client: number) => string,
  clients: number,
  onTold: (client: HeldClient, atMs: number) => void,
): Promise<HeldClients> {
  const byTenant = new Map<string, HeldClient[]>();

  async function open(index: number): Promise<HeldClient> {
    const tenant = tenantOf(index);
    const socket = connect(port, '127.0.0.1');
    const client: HeldClient = { told: 0, socket };
    let cursor = '';
    const ask = (): void =>
      void socket.write(
        `GET /v1/events?wait=${waitSeconds}${cursor} HTTP/1.1\r\nhost: bench\r\n` +
          `authorization: ${authorization}\r\nhookline-tenant: ${tenant}\r\n\r\n`,
      );
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    socket.setNoDelay(true).on('error', () => undefined);
    // The answers are small: each comes in one piece.
    socket.on('data', (piece: Buffer) => {
      const atMs = performance.now();
      const text = piece.toString('latin1');
      const [, status] = /^HTTP\/1\.1 (\d+)/.exec(text) ?? [];
      if (status === '503') return void setTimeout(ask, tryAgainMs);
      if (status !== '200' && status !== '204')
        throw new Error(`not an answer of a held request: ${text.slice(0, 300)}`);
      const [, next] = /\r\nhookline-cursor: (\S+)/.exec(text) ?? [];
      if (next !== undefined) cursor = `&cursor=${next}`;
      if (status === '200') {
        client.told += 1;
        onTold(client, atMs);
      }
      ask();
    });
    ask();
    byTenant.set(tenant, [...(byTenant.get(tenant) ?? []), client]);
    return client;
  }

  const all: HeldClient[] = [];
  while (all.length < clients) {
    const many = Math.min(connectingAtOnce, clients - all.length);
    all.push(...(await Promise.all(Array.from({ length: many }, (_, n) => open(all.length + n)))));
    await delay(betweenConnectingMs);
  }
  return {
    all,
    ofTenant: (tenant) => byTenant.get(tenant) ?? [],
    close: () => all.forEach(({ socket }) => socket.destroy()),
  };
}

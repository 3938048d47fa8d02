/** Receivers of every kind that a sender meets, on loopback: each with what an attempt to deliver to it must end as. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { HttpResult } from '#lib/http-client';
import { expiredCertificate, receiverCertificate } from './certificates.ts';
import { rawAnimals, rawServer } from './raw-receivers.ts';
import { tlsAnimals } from './tls-receivers.ts';

export interface Animal {
  name: string;
  /** The result that each attempt must match. */
  expected: Partial<Omit<HttpResult, 'outcome'>> &
    Pick<HttpResult, 'outcome'> & { detail?: string; status?: number; oddity?: string; retryAfter?: string };
  /** It takes the sender to one of its limits. */
  isSlow?: true;
  /** Its name, if different from the certificate's. */
  hostname?: string;
}

export interface Zoo {
  animals: readonly (Animal & { url: string })[];
  /** The authorities to trust. */
  ca: string;
  connections(): number;
  stop(): Promise<void>;
}

/** Every name leads to loopback: resolve them so. */
export async function openZoo(): Promise<Zoo> {
  const sockets = new Set<Socket>();
  const servers: Server[] = [];

  async function listen(server: Server): Promise<number> {
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    });
    server.on('tlsClientError', () => undefined);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    servers.push(server);
    return (server.address() as AddressInfo).port;
  }

  const animals: (Animal & { url: string })[] = [];
  for (const { react, atAccept, ...animal } of rawAnimals) {
    animals.push({ ...animal, url: `http://receiver.test:${await listen(rawServer(react, atAccept ?? false))}/hook` });
  }
  for (const { create, ...animal } of tlsAnimals) {
    animals.push({ ...animal, url: `https://${animal.hostname ?? 'receiver.test'}:${await listen(create())}/hook` });
  }
  const closed = createServer();
  const closedPort = await listen(closed);
  closed.close();
  animals.push({
    name: 'is not there',
    expected: { outcome: 'connect', detail: 'the connection was refused' },
    url: `http://receiver.test:${closedPort}/`,
  });

  return {
    animals,
    ca: [receiverCertificate, expiredCertificate].join(''),
    connections: () => sockets.size,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await Promise.all(
        servers.filter((server) => server.listening).map((server) => new Promise((closed) => server.close(closed))),
      );
    },
  };
}

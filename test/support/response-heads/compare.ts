import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createHttpClient, parseAllowedNetworks } from '#lib/http-client';
import { systemClock } from '#lib/runtime';
import { seededRandom } from '../seeded-random.ts';
import { headOf } from './heads.ts';
import { statusOf } from './reading.ts';

const atOnce = 50;

interface Compared {
  /** Heads with an answer by the reading, and how many of those were odd to the client. */
  answers: number;
  odd: number;
  /** Heads on which client and reading differ. */
  different: readonly { head: string; read: number | undefined; result: unknown }[];
}

/** Has the client meet this many generated heads, each on a connection that ends after it, and compares its status with the reading's. */
export async function compareHeads({ heads, seed }: { heads: number; seed: number }): Promise<Compared> {
  const random = seededRandom(seed);
  const all = Array.from({ length: heads }, () => headOf(random));
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    let seen = '';
    socket.on('data', (chunk) => {
      seen += chunk.toString('latin1');
      const [, number] = /^POST \/(\d+) [^]*\r\n\r\n\{\}$/.exec(seen) ?? [];
      if (number !== undefined) socket.end(all[Number(number)] ?? '');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const client = createHttpClient({
    clock: systemClock,
    allowHttp: true,
    allowedNetworks: parseAllowedNetworks(['127.0.0.0/8']),
    maxConnectionsPerHost: atOnce,
  });
  await client.start();
  const compared = { answers: 0, odd: 0, different: [] as Compared['different'][number][] };

  async function compare(number: number, head: Buffer): Promise<void> {
    const url = `http://127.0.0.1:${port}/${number}`;
    const result = await client.send({ url, method: 'POST', headers: {}, body: Buffer.from('{}'), timeoutMs: 20_000 });
    const read = statusOf(head);
    const status = 'status' in result ? result.status : undefined;
    if (read !== undefined) compared.answers += 1;
    if ('status' in result && result.oddity !== undefined) compared.odd += 1;
    if (status !== read) compared.different.push({ head: head.toString('latin1').slice(0, 300), read, result });
  }

  try {
    const left = all.entries();
    // One iterator for all: each takes the next.
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (const [number, head] of left) await compare(number, head);
      }),
    );
  } finally {
    await client.stop();
    server.close();
  }
  return compared;
}

import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createManualClock, systemClock } from '#lib/runtime';
import { waitUntil } from '../../support/wait-until.ts';
// Within the lib, as the connector is: its promise is about name servers, and the client above it would hide which were asked.
import { createNameResolver } from '../../../libs/http-client/name-resolver.ts';

/** A name server on loopback that knows some addresses, refuses other names, and never answers for those that begin with `slow`. */
async function startNameServer(addresses: Record<string, string>) {
  const asked: string[] = [];
  const socket: Socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const { name, end } = nameIn(query);
    asked.push(name);
    if (name.startsWith('slow')) return;
    const isIpv4 = query.readUInt16BE(end) === 1;
    const found = isIpv4 ? addresses[name] : undefined;
    socket.send(answerTo(query.subarray(0, end + 4), found, name in addresses), port, address);
  });
  await once(socket.bind(0, '127.0.0.1'), 'listening');
  return { asked, server: `127.0.0.1:${socket.address().port}`, stop: () => socket.close() };
}

function nameIn(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), end: at + 1 };
}

/** RFC 1035, 4.1: the header with one question, and one answer record if there is an address; else NXDOMAIN, or no data. */
function answerTo(question: Buffer, address: string | undefined, isKnown: boolean): Buffer {
  const head = Buffer.from(question);
  head.writeUInt16BE(isKnown ? 0x8180 : 0x8183, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(address === undefined ? 0 : 1, 6);
  head.writeUInt32BE(0, 8);
  if (address === undefined) return head;
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split('.').map(Number)]);
  return Buffer.concat([head, record]);
}

const neverAsked = (hostname: string): Promise<never> =>
  Promise.reject(new Error(`the system was asked for ${hostname}`));

describe('the resolver of names', () => {
  let nameServer: Awaited<ReturnType<typeof startNameServer>>;
  beforeEach(async () => {
    nameServer = await startNameServer({ 'receiver.test': '192.0.2.7' });
  });
  afterEach(() => nameServer.stop());
  const resolving = (
    resolveBySystem: (hostname: string) => Promise<readonly string[]> = neverAsked,
    clock = systemClock,
  ) => createNameResolver({ clock, resolveBySystem, servers: [nameServer.server] });

  it('gives what the name servers say', async () => {
    expect(await resolving()('receiver.test')).toEqual(['192.0.2.7']);
  });

  it('finds a name at once while twenty others do not answer, and gives those up in time', async () => {
    const resolve = resolving();
    const startedAtMs = performance.now();
    const slow = Array.from({ length: 20 }, (_, at) =>
      resolve(`slow${at}.test`).then(
        () => 'found',
        () => 'given up',
      ),
    );
    await waitUntil('all are asked for', () => nameServer.asked.length >= 40, { everyMs: 5 });
    expect(await resolve('receiver.test')).toEqual(['192.0.2.7']);
    const foundAfterMs = performance.now() - startedAtMs;
    expect(new Set(await Promise.all(slow))).toEqual(new Set(['given up']));
    const slowAfterMs = performance.now() - startedAtMs;
    expect(foundAfterMs).toBeLessThan(slowAfterMs / 2);
    expect(slowAfterMs).toBeLessThan(10_000);
  });

  it('asks the system for a name that the name servers do not know: it may stand in the hosts file', async () => {
    const resolve = resolving(async (hostname) => (hostname === 'in-hosts' ? ['192.0.2.8'] : []));
    expect(await resolve('in-hosts')).toEqual(['192.0.2.8']);
  });

  it('asks the system where there is no name server', async () => {
    const free = createSocket('udp4');
    await once(free.bind(0, '127.0.0.1'), 'listening');
    const server = `127.0.0.1:${free.address().port}`;
    free.close();
    const resolve = createNameResolver({
      clock: systemClock,
      servers: [server],
      resolveBySystem: async () => ['192.0.2.8'],
    });
    expect(await resolve('in-hosts')).toEqual(['192.0.2.8']);
  });

  it('asks the system for two names at a time, and gives up by itself what waits too long', async () => {
    const clock = createManualClock();
    const underWay: string[] = [];
    const resolve = resolving((hostname) => (underWay.push(hostname), new Promise(() => undefined)), clock);
    const ends = ['a.unknown', 'b.unknown', 'c.unknown'].map((name) =>
      resolve(name).catch((error: Error) => error.message),
    );
    await waitUntil('two are asked for', () => underWay.length === 2, { everyMs: 5 });
    await clock.advance(2_500);
    expect(await Promise.all(ends)).toEqual(['a', 'b', 'c'].map(() => 'the name was not looked up within 2500 ms'));
    expect(underWay).toHaveLength(2);
  });

  it('does not ask the system for a name whose servers do not answer', async () => {
    await expect(resolving()('slow.test')).rejects.not.toThrow('the system was asked');
  });
});

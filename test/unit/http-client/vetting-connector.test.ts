import { once } from 'node:events';
import { createServer, type AddressInfo, type LookupFunction, type Server } from 'node:net';
import { buildConnector } from 'undici';
import { parseAllowedNetworks } from '#lib/http-client';
import { waitUntil } from '../../support/wait-until.ts';
// The connector is within the lib; its promise is about sockets, so it is tried without the client above it.
import { ConnectFailure, createVettingConnector, type Resolve } from '../../../libs/http-client/vetting-connector.ts';

/** Listens on loopback and counts who gets through. */
async function listen(): Promise<{ server: Server; port: string; connections: () => number }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined).resume();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, port: String((server.address() as AddressInfo).port), connections: () => connections };
}

const neverAsked: Resolve = (hostname) => Promise.reject(new Error(`asked for ${hostname}`));

function connect(connector: buildConnector.connector, hostname: string, port: string): Promise<Error | 'connected'> {
  return new Promise((resolve) => {
    connector({ hostname, host: hostname, port, protocol: 'http:' }, (error, socket) => {
      if (error !== null) return resolve(error);
      socket.once('close', () => resolve('connected')).destroy();
    });
  });
}

describe('the connector', () => {
  let target: Awaited<ReturnType<typeof listen>>;
  beforeEach(async () => (target = await listen()));
  afterEach(() => target.server.close());

  const vetting = (allowed: string[], resolve: Resolve = neverAsked) =>
    createVettingConnector({ allowedNetworks: parseAllowedNetworks(allowed), resolve, timeoutMs: 2_000 });

  /** One whole connection that is allowed: whatever was opened before it has been counted by the time it is. */
  const settle = async (): Promise<void> => {
    const before = target.connections();
    expect(await connect(vetting(['127.0.0.0/8']), '127.0.0.1', target.port)).toBe('connected');
    await waitUntil('it is counted', () => target.connections() > before, { timeoutMs: 2_000, everyMs: 5 });
  };

  it.each(['127.0.0.1', '[::ffff:7f00:1]', 'localhost', 'app.localhost'])(
    'opens no socket to %s, which it takes as it stands',
    async (hostname) => {
      const end = await connect(vetting([]), hostname, target.port);
      expect(end).toBeInstanceOf(ConnectFailure);
      expect(end).toMatchObject({ kind: 'blocked' });
      await settle();
      expect(target.connections()).toBe(1);
    },
  );

  it('would reach it if only the lookup were guarded: undici does not look up a literal', async () => {
    const lookup: LookupFunction = (_hostname, _options, callback) => callback(new Error('refused'), '');
    expect(await connect(buildConnector({ lookup }), '127.0.0.1', target.port)).toBe('connected');
  });

  it('opens no socket for a name of which one address is refused, whichever it is', async () => {
    for (const addresses of [
      ['10.0.0.1'],
      ['127.0.0.1', '10.0.0.1'],
      ['10.0.0.1', '127.0.0.1'],
      ['127.0.0.1', '::ffff:a00:1'],
    ]) {
      const connector = vetting(['127.0.0.0/8'], async () => addresses);
      expect(await connect(connector, 'receiver.test', target.port)).toMatchObject({ kind: 'blocked' });
    }
    await settle();
    expect(target.connections()).toBe(1);
  });

  it('does not tell which address a name led to', async () => {
    const end = await connect(
      vetting([], async () => ['10.20.30.40']),
      'receiver.test',
      target.port,
    );
    expect((end as Error).message).toBe('a name that leads to a private network');
  });

  it('connects to the address that was judged, and asks for no other', async () => {
    const answers = [['127.0.0.1'], ['169.254.169.254']];
    let asked = 0;
    const rebinding: Resolve = async () => answers[asked++] ?? [];
    const connector = vetting(['127.0.0.0/8'], rebinding);
    expect(await connect(connector, 'receiver.test', target.port)).toBe('connected');
    expect(asked).toBe(1);
    expect(await connect(connector, 'receiver.test', target.port)).toMatchObject({ kind: 'blocked' });
    expect(asked).toBe(2);
  });

  it('asks once for a name that many connect to at once', async () => {
    const answer = Promise.withResolvers<string[]>();
    let asked = 0;
    const connector = vetting(['127.0.0.0/8'], () => ((asked += 1), answer.promise));
    const ends = [1, 2, 3].map(() => connect(connector, 'receiver.test', target.port));
    answer.resolve(['127.0.0.1']);
    expect(await Promise.all(ends)).toEqual(['connected', 'connected', 'connected']);
    expect(asked).toBe(1);
  });

  it('names a host that is not there as a failure to connect', async () => {
    const unknown: Resolve = () => Promise.reject(new Error('getaddrinfo ENOTFOUND receiver.test'));
    expect(await connect(vetting([], unknown), 'receiver.test', target.port)).toMatchObject({ kind: 'connect' });
    expect(
      await connect(
        vetting([], async () => []),
        'receiver.test',
        target.port,
      ),
    ).toMatchObject({ kind: 'connect' });
    const { server, port } = await listen();
    server.close();
    expect(await connect(vetting(['127.0.0.0/8']), '127.0.0.1', port)).toMatchObject({ kind: 'connect' });
  });
});

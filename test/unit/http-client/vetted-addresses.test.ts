import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, isIP, type Socket } from 'node:net';
import {
  createHttpClient,
  type HttpClient,
  type HttpResult,
  parseAllowedNetworks,
  type Resolve,
} from '#lib/http-client';
import { systemClock } from '#lib/runtime';
import { namesThatLeadInside, refusedAddresses, refusedUrls } from './address-cases.ts';
import { watchConnectionAttempts } from './connection-attempts.ts';

const neverAsked: Resolve = (hostname) => Promise.reject(new Error(`asked for ${hostname}`));

describe('what the client connects to, seen at the socket', () => {
  const closing: (() => unknown)[] = [];
  let watched: ReturnType<typeof watchConnectionAttempts>;
  beforeEach(() => {
    watched = watchConnectionAttempts();
    closing.push(() => watched.stop());
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  async function createClient(allowed: string[], resolve: Resolve = neverAsked): Promise<HttpClient> {
    const client = createHttpClient({
      clock: systemClock,
      allowHttp: true,
      allowedNetworks: parseAllowedNetworks(allowed),
      maxConnectionsPerHost: 10,
      resolve,
    });
    await client.start();
    closing.push(() => client.stop());
    return client;
  }
  const post = (client: HttpClient, url: string, isStrict = false): Promise<HttpResult> =>
    client.send({ url, method: 'POST', headers: {}, body: Buffer.from('{}'), timeoutMs: 10_000, isStrict });
  async function listen(status = 200, headers: Record<string, string> = {}) {
    const paths: string[] = [];
    const server = createServer((request, response) => {
      paths.push(request.url ?? '');
      response.writeHead(status, headers).end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    closing.push(() => (server.closeAllConnections(), server.close()));
    return { port: (server.address() as AddressInfo).port, paths };
  }

  it('opens nothing for a strict request to what only the allowances allow, nor sends it on a connection that is open', async () => {
    const { port, paths } = await listen();
    const client = await createClient(['127.0.0.0/8'], async () => ['127.0.0.1']);
    const urls = ['127.0.0.1', 'localhost', 'receiver.test'].map((host) => `http://${host}:${port}/`);
    for (const url of urls) expect(await post(client, url)).toMatchObject({ outcome: 'delivered' });
    expect(paths).toHaveLength(3);
    const opened = watched.attempts.length;
    const secure = urls.map((url) => url.replace('http:', 'https:'));
    for (const url of [...urls, ...secure]) expect(await post(client, url, true)).toMatchObject({ outcome: 'blocked' });
    expect([paths.length, watched.attempts.length]).toEqual([3, opened]);
    // And it is still as good as before for others.
    for (const url of urls) expect(await post(client, url)).toMatchObject({ outcome: 'delivered' });
  });

  it('opens nothing to a refused address in any spelling, nor for any other refused URL', async () => {
    const client = await createClient([]);
    const literals = Object.values(refusedAddresses)
      .flat()
      .filter((address) => isIP(address) !== 0 && !address.includes('%'))
      .map((address) => (address.includes(':') ? `http://[${address}]:8080/` : `http://${address}:8080/`));
    const named = refusedUrls.filter((url) => url.length < 2_048);
    for (const url of [...named, ...literals]) expect(await post(client, url)).toMatchObject({ outcome: 'blocked' });
    expect(watched.attempts).toEqual([]);
  });

  it('opens nothing for a name of which one address is refused, whichever it is', async () => {
    for (const [name, addresses] of Object.entries(namesThatLeadInside)) {
      for (const answer of [addresses, [...addresses].reverse(), ['8.8.8.8', ...addresses]]) {
        const client = await createClient([], async () => answer);
        expect([name, await post(client, `http://${name}/`)]).toMatchObject([name, { outcome: 'blocked' }]);
      }
    }
    const mixed = await createClient([], async () => ['8.8.8.8', '10.0.0.1']);
    expect(await post(mixed, 'https://receiver.test/')).toMatchObject({ outcome: 'blocked' });
    expect(watched.attempts).toEqual([]);
  });

  it('says of a name that is refused neither the rule nor the address, but to the operator', async () => {
    const details = new Set<string>();
    for (const address of Object.values(refusedAddresses).flat()) {
      const client = await createClient([], async () => [address]);
      const result = await post(client, 'https://receiver.test/');
      if (!('detail' in result)) throw new Error('not refused');
      details.add(result.detail);
      expect(result.operatorDetail).toContain(`receiver.test leads to ${address}`);
    }
    expect([...details]).toEqual(['the host’s address is not allowed']);
  });

  it('asks for the addresses once and connects to those: a second answer is never heard (rebinding)', async () => {
    const { port } = await listen();
    const answers = [['127.0.0.1'], ['169.254.169.254']];
    let asked = 0;
    const client = await createClient(['127.0.0.0/8'], async () => answers[asked++] ?? []);
    expect(await post(client, `http://receiver.test:${port}/`)).toMatchObject({ outcome: 'delivered' });
    expect(asked).toBe(1);
    expect(watched.attempts).toEqual([`127.0.0.1 ${port}`]);
  });

  it('judges again for every new connection', async () => {
    const { port } = await listen(200, { connection: 'close' });
    const answers = [['127.0.0.1'], ['169.254.169.254']];
    const client = await createClient(['127.0.0.0/8'], async () => answers.shift() ?? []);
    expect(await post(client, `http://receiver.test:${port}/`)).toMatchObject({ outcome: 'delivered' });
    expect(await post(client, `http://receiver.test:${port}/`)).toMatchObject({ outcome: 'blocked' });
    expect(watched.attempts).toEqual([`127.0.0.1 ${port}`]);
  });

  it('tries the judged addresses one after the other, and no others', async () => {
    const { port } = await listen();
    const client = await createClient(['127.0.0.0/8'], async () => ['127.0.0.9', '127.0.0.8', '127.0.0.1']);
    expect(await post(client, `http://receiver.test:${port}/`)).toMatchObject({ outcome: 'delivered' });
    expect(watched.attempts).toEqual([`127.0.0.9 ${port}`, `127.0.0.8 ${port}`, `127.0.0.1 ${port}`]);
  });

  it.each([300, 301, 302, 303, 304, 305, 306, 307, 308])(
    'follows no redirect to a metadata host: %i',
    async (status) => {
      const { port, paths } = await listen(status, { location: 'http://169.254.169.254/latest/meta-data/' });
      const client = await createClient(['127.0.0.0/8']);
      expect(await post(client, `http://127.0.0.1:${port}/hook`)).toMatchObject({ outcome: 'redirect', status });
      expect(paths).toEqual(['/hook']);
      expect(watched.attempts).toEqual([`127.0.0.1 ${port}`]);
    },
  );

  it('goes to no proxy that the environment names', async () => {
    const { port } = await listen();
    const before = { ...process.env };
    closing.push(() => (process.env = before));
    for (const name of ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'])
      process.env[name] = 'http://127.0.0.77:3128';
    process.env['NODE_USE_ENV_PROXY'] = '1';
    const client = await createClient(['127.0.0.0/8']);
    expect(await post(client, `http://127.0.0.1:${port}/`)).toMatchObject({ outcome: 'delivered' });
    expect(watched.attempts).toEqual([`127.0.0.1 ${port}`]);
  });

  it('opens what the operator allows, and nothing beside it', async () => {
    const { port } = await listen();
    const client = await createClient(['127.0.0.0/8']);
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:7f00:1]', '0x7f.1'])
      expect(await post(client, `http://${host}:${port}/`)).toMatchObject({ outcome: 'delivered' });
    expect(await post(client, 'http://169.254.169.254/')).toMatchObject({ outcome: 'blocked' });
    expect(new Set(watched.attempts)).toEqual(new Set([`127.0.0.1 ${port}`, `::ffff:7f00:1 ${port}`]));
  });

  it('would be seen here if it did connect', async () => {
    const { port } = await listen();
    const socket: Socket = connect({ port, host: '127.0.0.1' });
    await once(socket, 'connect');
    socket.destroy();
    expect(watched.attempts).toEqual([`127.0.0.1 ${port}`]);
  });
});

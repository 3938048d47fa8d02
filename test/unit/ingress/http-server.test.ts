import { type AddressInfo, connect } from 'node:net';
import { createHttpServer } from '#lib/net';
import { waitUntil } from '../../support/wait-until.ts';
import { closeApps, createHarness, type Harness, signed } from './harness.ts';
import { connectRaw, type RawClient } from './raw-client.ts';

afterEach(closeApps);

const body = '{"id":"evt_1"}';

async function listen(): Promise<{ harness: Harness; stop(): Promise<void>; connect(): Promise<RawClient> }> {
  const harness = createHarness();
  const server = createHttpServer({ app: harness.app, host: '127.0.0.1', port: 0 });
  await server.start();
  const { port } = harness.app.server.address() as AddressInfo;
  return { harness, stop: () => server.stop(), connect: () => connectRaw(port) };
}

function webhook(harness: Harness): string {
  const headers = `host: a\r\nhookline-signature: ${signed(body)['hookline-signature']}\r\ncontent-length: ${body.length}`;
  return `POST /v1/webhooks/${harness.source.id} HTTP/1.1\r\n${headers}\r\n\r\n${body}`;
}

test('of very many who connect at once, a server with many listeners takes many in one turn of the event loop', async () => {
  const mostInOneTurn = async (listeners: number): Promise<number> => {
    const harness = createHarness();
    const server = createHttpServer({ app: harness.app, host: '127.0.0.1', port: 0, listeners });
    await server.start();
    const { port } = harness.app.server.address() as AddressInfo;
    let [taken, inThisTurn, most] = [0, 0, 0];
    harness.app.server.on('connection', () => {
      taken += 1;
      inThisTurn += 1;
      setImmediate(() => (inThisTurn = 0));
      most = Math.max(most, inThisTurn);
    });
    const clients = Array.from({ length: 60 }, () => connect({ host: '127.0.0.1', port }).on('error', () => undefined));
    await waitUntil('all are taken', () => taken === 60);
    for (const client of clients) client.destroy();
    await server.stop();
    return most;
  };
  expect(await mostInOneTurn(1)).toBe(1);
  expect(await mostInOneTurn(32)).toBeGreaterThan(5);
});

describe('a stop', () => {
  test('waits neither for idle connections nor for those that never said anything', async () => {
    const { harness, stop, connect } = await listen();
    const idle = await connect();
    idle.write(webhook(harness));
    await idle.until(/ 202 Accepted/);
    const silent = await connect();
    const begun = await connect();
    begun.write('POST /v1/web');
    await stop();
    await Promise.all([idle.closed, silent.closed, begun.closed]);
  });

  test('lets a webhook that waits for its acknowledgment be answered, and ends its connection', async () => {
    const { harness, stop, connect } = await listen();
    harness.producer.hold();
    const client = await connect();
    client.write(webhook(harness));
    await waitUntil('it is produced', () => harness.producer.records.length === 1, { everyMs: 5 });
    let stopped = false;
    const stopping = stop().then(() => (stopped = true));
    await expect(connect()).rejects.toThrow('refused');
    expect(stopped).toBe(false);
    harness.producer.release();
    expect(await client.until(/ 202 Accepted/)).toMatch(/connection: close/i);
    await Promise.all([stopping, client.closed]);
  });

  test('lets a body that is arriving arrive', async () => {
    const { harness, stop, connect } = await listen();
    const client = await connect();
    const bytes = webhook(harness);
    const requested = new Promise((resolve) => harness.app.server.once('request', resolve));
    client.write(bytes.slice(0, -1));
    await requested;
    const stopping = stop();
    client.write(bytes.slice(-1));
    await client.until(/ 202 Accepted/);
    await stopping;
    expect(harness.producer.records).toHaveLength(1);
  });
});

import { once } from 'node:events';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { applyPatches } from '../../../libs/kafka/kafkajs-patches/apply-patches.ts';
import { createSocketFactory } from '../../../libs/kafka/kafkajs-patches/create-socket.ts';
import { waitUntil, within } from '../../support/wait-until.ts';

interface Connection {
  connect(): Promise<boolean>;
  disconnect(): Promise<boolean>;
  isConnected(): boolean;
  send(exchange: object): Promise<Buffer>;
}
const load = createRequire(import.meta.url);
const Connection = load('kafkajs/src/network/connection.js') as new (options: object) => Connection;
const Encoder = load('kafkajs/src/protocol/encoder.js') as new () => object;

const silent = { info: () => undefined, error: () => undefined, warn: () => undefined, debug: () => undefined };
const logger = { ...silent, namespace: () => ({ ...silent, namespace: () => silent }) };

/** An answer to the request of this number: its length, the number, what it says. */
function answer(correlationId: number, text: string): Buffer {
  const bytes = Buffer.alloc(8 + text.length);
  bytes.writeInt32BE(4 + text.length, 0);
  bytes.writeInt32BE(correlationId, 4);
  bytes.write(text, 8);
  return bytes;
}

/** A broker with a given reaction to each connection's first request. */
async function withBroker(
  onRequest: ((socket: Socket, correlationId: number) => void)[],
  run: (connection: Connection, made: () => number) => Promise<void>,
): Promise<void> {
  let made = 0;
  const server = createServer((socket) => {
    made += 1;
    const react = onRequest.shift();
    socket.on('error', () => undefined);
    socket.once('data', (request: Buffer) => react?.(socket, request.readInt32BE(8)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  applyPatches();
  const connection = new Connection({
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    logger,
    socketFactory: createSocketFactory(undefined),
    requestTimeout: 500,
    connectionTimeout: 2_000,
  });
  try {
    await run(connection, () => made);
  } finally {
    await connection.disconnect();
    server.close();
  }
}

const ask = (connection: Connection): Promise<string> =>
  connection
    .send({
      request: { apiKey: 18, apiName: 'Asking', apiVersion: 0, encode: async () => new Encoder() },
      response: { decode: async (bytes: Buffer) => bytes, parse: async (bytes: Buffer) => bytes.toString() },
    })
    .then(String);

test('a connection that was cut in the middle of an answer begins the next with nothing of it', async () => {
  const half = (socket: Socket, correlationId: number): void =>
    void socket.write(answer(correlationId, 'an answer that is cut').subarray(0, 17), () => socket.resetAndDestroy());
  const whole = (socket: Socket, correlationId: number): void => void socket.write(answer(correlationId, 'whole'));
  await withBroker([half, whole], async (connection) => {
    await connection.connect();
    await expect(ask(connection)).rejects.toThrow('ECONNRESET');
    await connection.connect();
    expect(await ask(connection)).toBe('whole');
  });
});

test('an answer too short to have a number ends its connection, not the process', async () => {
  const nonsense = (socket: Socket): void => void socket.write(Buffer.from([0, 0, 0, 2, 1, 2]));
  const whole = (socket: Socket, correlationId: number): void => void socket.write(answer(correlationId, 'whole'));
  await withBroker([nonsense, whole], async (connection) => {
    await connection.connect();
    await expect(ask(connection)).rejects.toThrow(/outside buffer bounds/);
    expect(connection.isConnected()).toBe(false);
    await connection.connect();
    expect(await ask(connection)).toBe('whole');
  });
});

test('what comes on a connection that was let go of is nothing to the next', async () => {
  let late: Socket | undefined;
  const silentOne = (socket: Socket): void => void (late = socket);
  const whole = (socket: Socket, correlationId: number): void => {
    late?.write(answer(correlationId, 'of before'));
    setTimeout(() => socket.write(answer(correlationId, 'whole')), 100);
  };
  await withBroker([silentOne, whole], async (connection) => {
    await connection.connect();
    const unanswered = ask(connection).catch((error: unknown) => error);
    await waitUntil('it is asked', () => late !== undefined);
    // As at a time-out of its own: it does not wait for what is in flight.
    (connection as unknown as { requestQueue: { rejectAll(error: Error): void } }).requestQueue.rejectAll(
      new Error('given up'),
    );
    await connection.disconnect();
    expect(await unanswered).toMatchObject({ message: 'given up' });
    await connection.connect();
    expect(await ask(connection)).toBe('whole');
  });
});

test('a connection that is let go of while it is made is not taken for one', async () => {
  const whole = (socket: Socket, correlationId: number): void => void socket.write(answer(correlationId, 'whole'));
  await withBroker([whole, whole], async (connection) => {
    const made = connection.connect().catch((error: unknown) => error);
    await connection.disconnect();
    await made;
    expect(connection.isConnected()).toBe(false);
    await connection.connect();
    expect(await ask(connection)).toBe('whole');
  });
});

test('those who find no connection at the same time share the one that is made', async () => {
  const whole = (socket: Socket, correlationId: number): void => void socket.write(answer(correlationId, 'whole'));
  await withBroker([whole, whole], async (connection, made) => {
    await Promise.all([connection.connect(), connection.connect()]);
    expect(await ask(connection)).toBe('whole');
    expect(made()).toBe(1);
  });
});

test('a request that is not answered in time is the last of its connection', async () => {
  const whole = (socket: Socket, correlationId: number): void => void socket.write(answer(correlationId, 'whole'));
  await withBroker([() => undefined, whole], async (connection) => {
    await connection.connect();
    await expect(ask(connection)).rejects.toThrow('timed out');
    await waitUntil('its end', () => !connection.isConnected(), { timeoutMs: 5_000 });
    await connection.connect();
    expect(await ask(connection)).toBe('whole');
  });
});

test('a connection that is being let go of takes no more requests, and the next is made after its end', async () => {
  let first: (() => void) | undefined;
  const later = (socket: Socket, correlationId: number): void => {
    first = () => void socket.write(answer(correlationId, 'asked before'));
  };
  const whole = (socket: Socket, correlationId: number): void => void socket.write(answer(correlationId, 'whole'));
  await withBroker([later, whole], async (connection, made) => {
    await connection.connect();
    const before = ask(connection);
    await waitUntil('it is asked', () => first !== undefined);
    const ended = connection.disconnect();
    await expect(ask(connection)).rejects.toThrow('Not connected');
    const next = connection.connect();
    first?.();
    expect(await before).toBe('asked before');
    await Promise.all([ended, next]);
    expect(await ask(connection)).toBe('whole');
    expect(made()).toBe(2);
  });
});

const neverAnswered = async (onEnding: (socket: Socket | undefined) => void): Promise<void> => {
  let silentOne: Socket | undefined;
  const whole = (socket: Socket, correlationId: number): void => void socket.write(answer(correlationId, 'whole'));
  await withBroker([(socket) => void (silentOne = socket), whole], async (connection) => {
    await connection.connect();
    const unanswered = ask(connection).catch((error: unknown) => error);
    await waitUntil('it is asked', () => silentOne !== undefined);
    const ended = connection.disconnect();
    const next = connection.connect();
    onEnding(silentOne);
    const limit = { timeoutMs: 8_000 };
    await within('the request ends', limit.timeoutMs, unanswered);
    await within('the connection ends', limit.timeoutMs, ended);
    await within('the next is made', limit.timeoutMs, next);
    expect(String(await unanswered)).toMatch(/^KafkaJS(RequestTimeout|Connection)/);
    expect(await ask(connection)).toBe('whole');
  });
};

test('a connection ends, and the next is made, though the peer never answers the request in flight', async () => {
  await neverAnswered(() => undefined);
});

test('a connection that is ending ends when its peer closes it with a request in flight', async () => {
  const startedMs = performance.now();
  await neverAnswered((socket) => socket?.end());
  expect(performance.now() - startedMs).toBeLessThan(2_000);
});

test('a request that waits for its turn at a throttled connection ends in its time, also where the clock was set back', async () => {
  const whole = (socket: Socket, correlationId: number): void => void socket.write(answer(correlationId, 'whole'));
  await withBroker([whole, whole], async (connection) => {
    await connection.connect();
    const { requestQueue } = connection as unknown as { requestQueue: { throttledUntil: number } };
    requestQueue.throttledUntil = Date.now() + 600_000;
    const waiting = ask(connection).catch((error: unknown) => error);
    expect(await within('it ends', 8_000, waiting)).toMatchObject({ name: 'KafkaJSConnectionError' });
    requestQueue.throttledUntil = -1;
    await connection.connect();
    expect(await ask(connection)).toBe('whole');
  });
});

test('no timer is set for a negative time, of which Node warns', async () => {
  const setTimer = jest.spyOn(globalThis, 'setTimeout');
  const whole = (socket: Socket, correlationId: number): void => void socket.write(answer(correlationId, 'whole'));
  try {
    await withBroker([whole, whole], async (connection) => {
      await connection.connect();
      expect(await ask(connection)).toBe('whole');
    });
    expect(setTimer.mock.calls.map(([, ms]) => ms).filter((ms) => (ms ?? 0) < 0)).toEqual([]);
  } finally {
    setTimer.mockRestore();
  }
});

test('a socket whose peer never closes it is destroyed in the end', async () => {
  const server = createServer({ allowHalfOpen: true }, (socket) => socket.on('error', () => undefined).resume());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const made = Promise.withResolvers<void>();
  const socket = createSocketFactory(undefined)({ host: '127.0.0.1', port, ssl: {}, onConnect: made.resolve });
  await made.promise;
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
  try {
    socket.end();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(socket.destroyed).toBe(true);
  } finally {
    jest.useRealTimers();
    socket.destroy();
    server.close();
  }
});

import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { createHttpServer } from '#lib/net';
import { askAt } from './ask.ts';
import { authorization, buildTestApp, postgresOf } from './build-test-app.ts';

/** A stop that waits for clients would take longer. */
const stopTimeoutMs = 5_000;

test(
  'stopping answers what has begun, and waits for no connection that is merely open',
  async () => {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<never[]>();
    const { app } = buildTestApp({
      postgres: postgresOf(() => {
        asked.resolve();
        return answer.promise;
      }),
    });
    const server = createHttpServer({ app, host: '127.0.0.1', port: 0 });
    await server.start();
    const { port } = app.server.address() as AddressInfo;
    const silent = connect(port, '127.0.0.1');
    await once(silent, 'connect');
    const idle = connect(port, '127.0.0.1');
    idle.write('GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(idle, 'data');

    const answering = askAt(port, { path: '/v1/sources', headers: { authorization } });
    await asked.promise;
    let stopped = false;
    const stopping = server.stop().then(() => (stopped = true));
    const closed = Promise.all([once(silent, 'close'), once(idle, 'close')]);
    await new Promise(setImmediate);
    expect(stopped).toBe(false);

    answer.resolve([]);
    expect((await answering).status).toBe(200);
    await Promise.all([stopping, closed]);
    await expect(askAt(port, { path: '/' })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  },
  stopTimeoutMs,
);

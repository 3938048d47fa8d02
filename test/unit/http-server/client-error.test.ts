import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fastify } from 'fastify';
import { answerClientError, createHttpServer } from '#lib/net';

const answerAfterMs = 100;

/** All that comes back on a connection on which this is said. */
async function answersTo(...said: string[]): Promise<string> {
  const app = fastify({ clientErrorHandler: answerClientError });
  let done = 0;
  app.post('/slow', async () => {
    await delay(answerAfterMs);
    return { done: ++done };
  });
  const server = createHttpServer({ app, host: '127.0.0.1', port: 0 });
  await server.start();
  const socket = connect({ port: (app.server.address() as AddressInfo).port, host: '127.0.0.1' });
  const closed = once(socket, 'close');
  try {
    let text = '';
    socket.on('data', (bytes: Buffer) => (text += bytes.toString('latin1')));
    for (const part of said) {
      socket.write(part, 'latin1');
      await delay(answerAfterMs / 5);
    }
    await closed;
    return text;
  } finally {
    socket.destroy();
    await server.stop();
  }
}

const statusesIn = (text: string): string[] => text.match(/(?<=HTTP\/1\.1 )\d{3}/g) ?? [];
const request = 'POST /slow HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n';

describe('what is no request', () => {
  it.each([
    ['in one piece with it', [`${request}{"type":"a"}\r\n\r\n`]],
    ['after it, and more of it', [request, '{"type":"a"}\r\n\r\n', 'zzz\r\n\r\n']],
  ])('does not take the answer from the request before it: %s', async (_says, said) => {
    const text = await answersTo(...said);

    expect(statusesIn(text)).toEqual(['200']);
    expect(text).toMatch(/\r\nconnection: close\r\n[^]*\{"done":1\}$/);
  });

  it('is not answered in the place of another request', async () => {
    const broken =
      'POST /slow HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n';

    expect(statusesIn(await answersTo(request + broken))).toEqual([]);
  });

  it.each([
    'zzz\r\n\r\n',
    'POST /slow HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
  ])('is answered by itself: %j', async (said) => {
    expect(statusesIn(await answersTo(said))).toEqual(['400']);
  });
});

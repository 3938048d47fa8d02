import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { createManualClock } from '#lib/clock';
import { createApiClient } from '../../../services/cli/api-client.ts';
import { sendAgain } from '../../../services/cli/send-again.ts';
import { runHookline } from '../../support/run-hookline.ts';
import { startFakeApi } from './fake-api.ts';

jest.setTimeout(60_000);

/** An API that answers as it is told, one answer after the other. */
async function openApi(answers: readonly { status: number; headers?: Record<string, string> }[]) {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    const { status, headers = {} } = answers[asked.length] ?? { status: 201 };
    asked.push(request);
    request.resume().on('end', () => response.writeHead(status, headers).end('{}'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const clock = createManualClock();
  const api = createApiClient({
    apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    adminKey: 'key',
    tenant: undefined,
    persistPost: async (send) =>
      (
        await sendAgain(send, {
          clock: { ...clock, sleep: async () => undefined },
          random: Math.random,
          maxAttempts: 4,
          onRetry: () => undefined,
        })
      ).result,
  });
  const keys = () => asked.map(({ headers }) => headers['idempotency-key']);
  return { api, keys, close: () => server.close() };
}

test('a POST is sent again with its own key, until there is an answer; another POST has another key', async () => {
  const { api, keys, close } = await openApi([
    { status: 503, headers: { 'retry-after': '2' } },
    { status: 409, headers: { 'retry-after': '1' } },
    { status: 504 },
    { status: 201 },
  ]);
  await api.ask('POST', '/sources', { body: {} });
  await api.ask('POST', '/sources', { body: {} });
  const [first, ...others] = keys();
  expect(first).toMatch(/^[0-9a-f-]{36}$/);
  expect(others.slice(0, 3)).toEqual([first, first, first]);
  expect(others[3]).toMatch(/^[0-9a-f-]{36}$/);
  expect(others[3]).not.toBe(first);
  close();
});

test('a GET that is told to come again comes again; an API that is not there is told of at once', async () => {
  const answers = [{ status: 429, headers: { 'retry-after': '0' } }, { status: 503 }, { status: 200, body: [] }];
  const api = await startFakeApi((_asked, index) => answers[index] ?? { status: 500 });
  const listed = await runHookline(['sources', 'list', '--json'], { env: api.env });
  await api.stop();
  expect(listed).toMatchObject({ code: 0, stdout: '[]\n' });
  expect(listed.stderr).toMatch(/^answered 429; again in \d\.\d s\nanswered 503; again in \d\.\d s\n$/);
  const away = await runHookline(['sources', 'list'], { env: api.env });
  expect(away).toMatchObject({ code: 1, stderr: expect.stringMatching(/^hookline: .* does not answer: /) as string });
});

test('a conflict that does not pass by itself is the answer, and so is whatever a PATCH gets', async () => {
  const { api, keys, close } = await openApi([{ status: 409 }, { status: 503 }]);
  await expect(api.ask('POST', '/sources', { body: {} })).rejects.toThrow();
  await expect(api.ask('PATCH', '/sources/1', { body: {} })).rejects.toThrow();
  expect(keys()).toEqual([expect.any(String), undefined]);
  close();
});

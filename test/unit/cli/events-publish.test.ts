import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runHookline } from '../../support/run-hookline.ts';
import { startFakeApi } from './fake-api.ts';

const folder = mkdtempSync(join(tmpdir(), 'hookline-events-publish-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('an event is published with what is given, and its id is told', async () => {
  const api = await startFakeApi(() => ({ status: 202, body: { id: 'evt_1' } }));
  const args = ['--type', 'order.paid', '--event-id', 'o-1', '--ordering-key', 'k', '--tenant', 'acme'];
  const ran = await runHookline(['events', 'publish', ...args], { env: api.env });
  await api.stop();
  expect([ran.code, ran.stdout, ran.stderr]).toEqual([0, 'id  evt_1\n', '']);
  expect(api.asked).toMatchObject([
    {
      method: 'POST',
      path: '/v1/events',
      headers: { 'hookline-tenant': 'acme', 'idempotency-key': expect.any(String) as string },
      body: { type: 'order.paid', event_id: 'o-1', ordering_key: 'k', payload: {} },
    },
  ]);
});

test('the payload is sent as it is written', async () => {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      bodies.push(body);
      response.writeHead(202).end('{"id":"evt_1"}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { HOOKLINE_API_URL: url, HOOKLINE_ADMIN_KEY: 'a-key' };
  const file = join(folder, 'payload.json');
  writeFileSync(file, '{ "n": 12345678901234567890 }');
  expect((await runHookline(['events', 'publish', '--type', 'a', '--payload-file', file], { env })).code).toBe(0);
  expect((await runHookline(['events', 'publish', '--type', 'a', '--payload', '1.0'], { env })).code).toBe(0);
  await new Promise((resolve) => server.close(resolve));
  expect(bodies).toEqual(['{"type":"a","payload":{ "n": 12345678901234567890 }}', '{"type":"a","payload":1.0}']);
});

test('what is refused is told in the API’s words, and exits 1', async () => {
  const problem = { code: 'validation_failed', title: 'The request is invalid', detail: '--type must be …' };
  const api = await startFakeApi(() => ({ status: 400, body: problem }));
  const ran = await runHookline(['events', 'publish', '--type', 'a b'], { env: api.env });
  await api.stop();
  expect([ran.code, ran.stdout]).toEqual([1, '']);
  expect(ran.stderr).toContain('--type must be …');
});

import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import type { HttpRequest, Transport } from '#client';
import { systemClock } from '#lib/runtime';
import { buildTestConsole } from '../../support/console/build-test-console.ts';
import { tenantToken } from '../../support/console/fake-api.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { openTransport } from '../../../services/console/api-calls/open-transport.ts';
import { createConsoleMetrics } from '../../../services/console/metrics.ts';
import { closeApps, listen } from '../api/ask.ts';

afterEach(closeApps);

/** A console whose API answers nothing but who somebody is. */
function withSilentApi() {
  const held: HttpRequest[] = [];
  const { api } = buildTestConsole();
  const transport: Transport = async (call) => {
    if (call.path === '/v1/me') return api.transport(call);
    held.push(call);
    return new Promise((resolve) => {
      call.signal?.addEventListener('abort', () => resolve({ noAnswer: 'the browser has left' }));
    });
  };
  return { held, ...buildTestConsole({ transport }) };
}

/** @returns its end: closes the socket */
function send(port: number, method: string, path: string, form?: Readonly<Record<string, string>>): () => void {
  const headers = {
    cookie: `hookline=${tenantToken}`,
    ...(form && { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }),
  };
  const outgoing = request({ host: '127.0.0.1', port, method, path, headers, agent: false });
  outgoing.on('error', () => undefined);
  outgoing.end(form && new URLSearchParams(form).toString());
  return () => outgoing.destroy();
}

test.each([
  '/t/acme/events',
  '/t/acme/deliveries',
  '/t/acme/dead-letters',
  '/t/acme/events/search?filter=%7B%22a%22%3A1%7D',
])('the calls of %s end when its browser leaves', async (path) => {
  const { app, held } = withSilentApi();
  const leave = send(await listen(app), 'GET', path);
  await waitUntil('the API is asked', () => held.length > 0);
  expect(held.map(({ signal }) => signal?.aborted)).toEqual(held.map(() => false));
  leave();
  await waitUntil('the calls end', () => held.every(({ signal }) => signal?.aborted === true));
});

test('what a form changes goes on to its end, whether its browser waits or not', async () => {
  const { app, held } = withSilentApi();
  const form = { idempotency_key: 'key-of-the-form', url: 'https://a.example/' };
  send(await listen(app), 'POST', '/t/acme/endpoints/new', form);
  await waitUntil('the API is asked', () => held.some(({ method }) => method === 'POST'));
  expect(held.map(({ signal }) => signal)).toEqual(held.map(() => undefined));
});

test('a call that is given up closes its connection to the API', async () => {
  let open = 0;
  const api = createServer(() => undefined);
  api.on('connection', (socket) => {
    open += 1;
    socket.on('close', () => (open -= 1));
  });
  await new Promise<void>((resolve) => void api.listen(0, '127.0.0.1', resolve));
  const apiUrl = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  const { transport, part } = openTransport({
    apiUrl,
    clock: systemClock,
    metrics: createConsoleMetrics(new Registry()),
  });
  await part.start();
  const left = new AbortController();
  const answered = transport({ method: 'GET', path: '/v1/events', headers: {}, signal: left.signal });
  await waitUntil('it is connected', () => open === 1);
  left.abort();
  expect(await answered).toEqual({ noAnswer: 'the browser has left' });
  await waitUntil('its connection is closed', () => open === 0);
  await part.stop();
  api.close();
});

import type { AddressInfo } from 'node:net';
import { buildTestApp } from '../api/build-test-app.ts';
import { closeApps, createHarness } from '../ingress/harness.ts';
import { connectRaw } from '../ingress/raw-client.ts';

const api = buildTestApp().app;
afterAll(async () => {
  await closeApps();
  await api.close();
});

const apiPort = async (): Promise<number> => {
  if (!api.server.listening) await api.listen({ host: '127.0.0.1', port: 0 });
  return (api.server.address() as AddressInfo).port;
};
const services: [name: string, port: () => Promise<number>][] = [
  ['the ingress', () => createHarness().port()],
  ['the api', apiPort],
];

async function answerTo(port: number, lines: readonly string[]): Promise<string> {
  const client = await connectRaw(port);
  client.write([...lines, 'connection: close', '', ''].join('\r\n'));
  await client.closed;
  return client.received();
}

describe.each(services)('%s', (_name, port) => {
  test('refuses a request without Host in its own form, once Node’s answer without a body', async () => {
    const answer = await answerTo(await port(), ['GET /openapi.json HTTP/1.1']);
    expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*application\/problem\+json[^]*"validation_failed"/);
  });

  test('asks no Host of HTTP/1.0', async () => {
    expect(await answerTo(await port(), ['GET /nothing HTTP/1.0'])).toMatch(/^HTTP\/1\.1 404 [^]*"not_found"/);
  });

  test('passes over an expectation that it does not know, once Node’s 417 without a body', async () => {
    const answer = await answerTo(await port(), ['GET /nothing HTTP/1.1', 'host: a', 'expect: 200-ok']);
    expect(answer).toMatch(/^HTTP\/1\.1 404 [^]*"not_found"/);
  });
});

import type { AddressInfo } from 'node:net';
import { authorization, buildTestApp, createKeptLog } from '../api/build-test-app.ts';
import { closeApps, createHarness, type Harness } from '../ingress/harness.ts';
import { connectRaw } from '../ingress/raw-client.ts';

const kept = createKeptLog();
const api = buildTestApp({ log: kept.log }).app;
let ingress: Harness;
beforeAll(() => {
  ingress = createHarness();
});
afterAll(async () => {
  await closeApps();
  await api.close();
});

const apiPort = async (): Promise<number> => {
  if (!api.server.listening) await api.listen({ host: '127.0.0.1', port: 0 });
  return (api.server.address() as AddressInfo).port;
};

const services: [name: string, port: () => Promise<number>, path: () => string][] = [
  ['the ingress', () => ingress.port(), () => `/v1/webhooks/${ingress.source.id}`],
  ['the api', apiPort, () => '/v1/events'],
];

const chunks = '2\r\n{}\r\n0\r\n\r\n';
const sound = 'host: a\r\ncontent-type: application/json\r\n';
/** Headers that two readers may take for two requests. Node's parser refuses the marked ones. */
const heads: [what: string, headers: string, body: string, version?: string][] = [
  ['two Host', `${sound}Host: b\r\ncontent-length: 2\r\n`, '{}'],
  ['two Host that are the same', `${sound}HOST: a\r\ncontent-length: 2\r\n`, '{}'],
  ['two Host, one empty', `${sound}host:\r\ncontent-length: 2\r\n`, '{}'],
  ['no Host', 'content-length: 2\r\n', '{}'],
  ['two Host in HTTP/1.0', `${sound}host: b\r\ncontent-length: 2\r\n`, '{}', '1.0'],
  ['gzip, chunked', `${sound}transfer-encoding: gzip, chunked\r\n`, chunks],
  ['gzip and chunked in two headers', `${sound}transfer-encoding: gzip\r\ntransfer-encoding: chunked\r\n`, chunks],
  ['an empty coding before chunked', `${sound}transfer-encoding: ,chunked\r\n`, chunks],
  ['chunked in HTTP/1.0', `${sound}transfer-encoding: chunked\r\n`, chunks, '1.0'],
  ['Node: chunked twice', `${sound}transfer-encoding: chunked, chunked\r\n`, chunks],
  ['Node: chunked and another behind it', `${sound}transfer-encoding: chunked, identity\r\n`, chunks],
  ['Node: another coding', `${sound}transfer-encoding: xchunked\r\n`, chunks],
  ['Node: an empty coding', `${sound}transfer-encoding:\r\n`, chunks],
  ['Node: a length before chunked', `${sound}content-length: 2\r\ntransfer-encoding: chunked\r\n`, chunks],
  ['Node: a length behind chunked', `${sound}transfer-encoding: chunked\r\ncontent-length: 2\r\n`, chunks],
  ['Node: two lengths', `${sound}content-length: 2\r\ncontent-length: 2\r\n`, '{}'],
  ['Node: a blank before the colon', `${sound}transfer-encoding : chunked\r\n`, chunks],
];

describe.each(services)('%s', (_name, port, path) => {
  const key = `authorization: ${authorization}\r\n`;
  const smuggled = (): string => `DELETE ${path()}/smuggled HTTP/1.1\r\nhost: a\r\n${key}\r\n`;

  test.each(heads)(
    'refuses %s with 400, ends the connection, and carries out nothing of it',
    async (_what, headers, body, version = '1.1') => {
      kept.lines.length = 0;
      const client = await connectRaw(await port());
      client.write(`POST ${path()} HTTP/${version}\r\n${key}${headers}\r\n${body}${smuggled()}`);
      await client.closed;

      expect(client.received().match(/(?<=HTTP\/1\.1 )\d{3}/g)).toEqual(['400']);
      expect(client.received()).toMatch(/\r\nconnection: close\r\n/i);
      expect(client.received()).toContain('"validation_failed"');
      // A line of the log would name the credential, had it been asked for.
      expect(kept.lines.filter(({ credential }) => credential === 'admin')).toEqual([]);
    },
  );

  test('takes a path that is none for no excuse', async () => {
    const client = await connectRaw(await port());
    client.write(
      `POST ${path()}/%zz HTTP/1.1\r\n${sound}transfer-encoding: gzip, chunked\r\n\r\n${chunks}${smuggled()}`,
    );
    await client.closed;
    expect(client.received().match(/(?<=HTTP\/1\.1 )\d{3}/g)).toEqual(['400']);
  });

  test.each(['chunked', 'Chunked'])('takes %s alone', async (coding) => {
    const client = await connectRaw(await port());
    client.write(
      `POST /nothing HTTP/1.1\r\n${sound}connection: close\r\ntransfer-encoding: ${coding}\r\n\r\n${chunks}`,
    );
    await client.closed;
    expect(client.received()).toMatch(/^HTTP\/1\.1 404 /);
  });
});

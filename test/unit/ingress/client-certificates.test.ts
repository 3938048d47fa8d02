import { X509Certificate } from 'node:crypto';
import { Agent, request as httpsRequest } from 'node:https';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import type { SourceSettings } from '#lib/contract';
import { waitUntil } from '../../support/wait-until.ts';
import { authority, client, type KeyPair, otherClient, server, stranger } from './certificates.ts';
import { closeApps, createHarness, type Harness, signed, sourceOf } from './harness.ts';
import { connectRaw } from './raw-client.ts';

const body = '{"id":"evt_1"}';
const fingerprintOf = ({ cert }: KeyPair): string => new X509Certificate(cert).fingerprint256;
const agents: Agent[] = [];

afterEach(async () => {
  for (const agent of agents.splice(0)) agent.destroy();
  await closeApps();
});

function createTlsHarness(settings: SourceSettings, rejectUnauthorized = false): Harness {
  return createHarness({
    source: sourceOf({ settings }),
    deps: { tls: { ...server, ca: authority, minVersion: 'TLSv1.2', requestCert: true, rejectUnauthorized } },
  });
}

interface Answer {
  status: number;
  resumed: boolean;
  session: Buffer | undefined;
}

/** A webhook over a TLS connection of its own. */
async function post(harness: Harness, options: ConnectionOptions = {}): Promise<Answer> {
  const agent = new Agent({ ca: authority, servername: 'ingress.test', maxCachedSessions: 0, ...options });
  agents.push(agent);
  const port = await harness.port();
  return new Promise((resolve, reject) => {
    const path = `/v1/webhooks/${harness.source.id}`;
    const request = httpsRequest({ host: '127.0.0.1', port, path, method: 'POST', agent, headers: signed(body) });
    let session: Buffer | undefined;
    request.on('socket', (socket) => socket.on('session', (ticket: Buffer) => (session = ticket)));
    request.on('error', reject);
    request.on('response', (response) => {
      const resumed = (response.socket as TLSSocket).isSessionReused();
      response.resume().on('end', () => resolve({ status: response.statusCode ?? 0, resumed, session }));
    });
    request.end(body);
  });
}

const required: SourceSettings = { client_certificate: { required: true } };

describe('a source that wants a client certificate', () => {
  test.each<[string, ConnectionOptions, number]>([
    ['none', {}, 403],
    ['one that the authority has signed', client, 202],
    ['one that a stranger has signed, of the same name', stranger, 403],
  ])('of a sender that shows %s', async (_what, shown, status) => {
    const harness = createTlsHarness(required);
    expect((await post(harness, shown)).status).toBe(status);
    expect(harness.producer.records).toHaveLength(status === 202 ? 1 : 0);
    if (status === 403) expect(harness.rejections).toMatchObject([{ code: 'client_certificate_required' }]);
  });

  test('takes those of its list alone, in each way of writing them', async () => {
    const fingerprint = fingerprintOf(client);
    for (const text of [fingerprint, fingerprint.replaceAll(':', '').toLowerCase()]) {
      const harness = createTlsHarness({
        client_certificate: { required: true, fingerprints: ['0'.repeat(64), text] },
      });
      expect((await post(harness, client)).status).toBe(202);
      expect((await post(harness, otherClient)).status).toBe(403);
    }
  });

  test('is not fooled by a TLS session that is begun and resumed without one', async () => {
    const harness = createTlsHarness(required);
    const first = await post(harness);
    expect(await post(harness, { session: first.session })).toMatchObject({ resumed: true, status: 403 });
  });

  test('knows the certificate of a session that is resumed with one', async () => {
    const harness = createTlsHarness(required);
    const first = await post(harness, client);
    const second = await post(harness, { ...client, session: first.session });
    expect(second).toMatchObject({ resumed: true, status: 202 });
  });

  test('takes nothing by plain HTTP, where no sender can show one', async () => {
    const harness = createHarness({ source: sourceOf({ settings: required }) });
    const answer = await harness.send({ headers: signed(body), body });
    expect([answer.status, answer.json().code]).toEqual([403, 'client_certificate_required']);
  });
});

describe('a server with TLS', () => {
  test('takes webhooks of senders without a certificate for sources that want none', async () => {
    expect((await post(createTlsHarness({}))).status).toBe(202);
    expect((await post(createTlsHarness({ client_certificate: { required: false } }))).status).toBe(202);
  });

  test('that wants a certificate of everybody lets nobody in without', async () => {
    const harness = createTlsHarness({}, true);
    await expect(post(harness)).rejects.toThrow();
    await expect(post(harness, stranger)).rejects.toThrow();
    expect((await post(harness, client)).status).toBe(202);
    expect(harness.producer.records).toHaveLength(1);
  });

  test('speaks nothing older than TLS 1.2', async () => {
    const harness = createTlsHarness({});
    const old: ConnectionOptions = { minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' };
    await expect(post(harness, { ...old, maxVersion: 'TLSv1.1' })).rejects.toThrow(/protocol version|EPROTO/);
    expect((await post(harness, { ...old, maxVersion: 'TLSv1.2' })).status).toBe(202);
  });

  test('ends the connection of whoever speaks plain HTTP to it', async () => {
    const harness = createTlsHarness({});
    const plain = await connectRaw(await harness.port());
    plain.write(`POST /v1/webhooks/${harness.source.id} HTTP/1.1\r\nhost: a\r\n\r\n`);
    await plain.closed;
    expect(harness.producer.records).toEqual([]);
  });

  test('gives up on a sender that leaves in the middle of the handshake', async () => {
    const harness = createTlsHarness({});
    const raw = await connectRaw(await harness.port());
    const handshake = connectTls({ socket: raw.socket, ca: authority, servername: 'ingress.test' });
    handshake.on('error', () => undefined);
    raw.socket.destroy();
    const connections = (): Promise<number> =>
      new Promise((resolve) => harness.app.server.getConnections((_error, count) => resolve(count)));
    await waitUntil('no connection is left', async () => (await connections()) === 0, { timeoutMs: 5_000, everyMs: 5 });
    expect((await post(harness)).status).toBe(202);
  });
});

import { createPublicKey } from 'node:crypto';
import { inspect } from 'node:util';
import { type EndpointSettings, joinSettings, privateContext, type PrivateSettings } from '#lib/contract';
import { systemClock } from '#lib/runtime';
import {
  type Endpoint,
  endpointColumns,
  endpointOf,
  type EndpointRow,
} from '../../../services/dispatcher/model/endpoint.ts';
import { createKeptLog, testSecretBox } from '../../unit/api/build-test-app.ts';
import { authority, client, otherClient } from '../../unit/ingress/certificates.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type OpenApi, openApi } from './api-over-database.ts';

interface EndpointJson {
  id: string;
  secret: string;
  headers: Record<string, string>;
  client_certificate: { certificate: string; expires_at: string; fingerprint: string };
  public_keys: string[];
  [field: string]: unknown;
}

const { log, lines } = createKeptLog();
let api: OpenApi;
beforeAll(async () => {
  api = await openApi({ clock: systemClock, log });
});
afterAll(() => api.close());

const url = 'https://receiver.example/hook';
const create = async (body: object): Promise<EndpointJson> => {
  const answer = await api.ask({ method: 'POST', path: '/v1/endpoints', body: { url, ...body } });
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return answer.json<EndpointJson>();
};
const read = (id: string) => api.ask({ path: `/v1/endpoints/${id}` });
const patch = (id: string, body: object, headers: Record<string, string> = {}) =>
  api.ask({ method: 'PATCH', path: `/v1/endpoints/${id}`, body, headers });
const act = (id: string, action: string, body: object = {}) =>
  api.ask({ method: 'POST', path: `/v1/endpoints/${id}/${action}`, body });

const rowOf = async (id: string): Promise<EndpointRow> => {
  const [row] = await api.postgres.query<EndpointRow>(
    `SELECT ${endpointColumns}, history FROM endpoints WHERE id = $1`,
    [id],
  );
  if (row === undefined) throw new Error(`no endpoint ${id}`);
  return row;
};
/** As the dispatcher has it. */
async function dispatched(id: string): Promise<Endpoint> {
  return endpointOf(await rowOf(id), {
    secretBox: testSecretBox,
    longestWindowMs: 1,
    longestLifeMs: 1,
    onUnreadable: (error) => {
      throw error;
    },
  });
}
async function settingsOf(id: string): Promise<EndpointSettings> {
  const row = await rowOf(id);
  const hidden =
    row.private && (JSON.parse(testSecretBox.open(row.private, privateContext('default', id))) as PrivateSettings);
  return joinSettings(row.settings, hidden);
}

const pair = { certificate: client.cert, private_key: client.key };
const otherPair = { certificate: otherClient.cert, private_key: otherClient.key };
const secretive = {
  headers: { Authorization: 'Bearer hush-header', 'X-Api-Key': 'hush-key', 'X-Plain': 'seen' },
  proxy: 'http://user:hush-proxy@proxy.example:3128',
  client_certificate: pair,
  ed25519: true,
};
const keyLine = client.key.split('\n')[1] as string;

describe('of what is secret', () => {
  test('nothing is in any answer, in a log, or in plain in the table', async () => {
    const { id, secret } = await create(secretive);
    const { secrets } = await dispatched(id);
    const seed = secrets[0]?.privateKey?.export({ format: 'jwk' }).d;
    if (seed === undefined) throw new Error('no private key');
    const seeds = [seed, Buffer.from(seed, 'base64url').toString('base64').replace(/=+$/, '')];
    const hushed = ['hush-', keyLine, 'whsk_', ...seeds, secret, secret.slice('whsec_'.length)];

    const answers = [
      await read(id),
      await api.ask({ path: '/v1/endpoints?limit=1000' }),
      await patch(id, { description: 'changed' }),
      await patch(id, { headers: { 'X-Token': 'hush-token' } }),
      await patch(id, { proxy: 'http://user:hush-other@127.0.0.1' }),
      await patch(id, { client_certificate: { ...pair, private_key: otherClient.key } }),
      await act(id, 'disable'),
      await act(id, 'enable'),
      await api.ask({ method: 'PATCH', path: `/v1/endpoints/${id}`, body: '{"headers":{"X-Token":"hush-' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 400, 400, 200, 200, 400]);
    for (const { text, headers } of answers)
      for (const hush of hushed) expect(text + JSON.stringify(headers)).not.toContain(hush);
    for (const hush of hushed) expect(inspect(lines, { depth: 10 })).not.toContain(hush);
    expect(lines.length).toBeGreaterThan(5);

    const [row] = await api.postgres.query<Record<string, unknown>>('SELECT * FROM endpoints WHERE id = $1', [id]);
    const columns = Object.values(row ?? {}).map((value) =>
      Buffer.isBuffer(value) ? value.toString('latin1') : JSON.stringify(value),
    );
    expect(columns.join('\n')).toContain('seen');
    for (const hush of hushed) expect(columns.join('\n')).not.toContain(hush);
    // All of it is there.
    expect(await settingsOf(id)).toEqual({
      ...secretive,
      headers: { ...secretive.headers, 'X-Token': 'hush-token' },
    });
  });

  test('all is shown by its mask, and reaches the dispatcher', async () => {
    const { id, client_certificate: shown, ...created } = await create(secretive);
    expect(created).toMatchObject({
      headers: { Authorization: '***', 'X-Api-Key': '***', 'X-Plain': 'seen' },
      proxy: 'http://user:***@proxy.example:3128',
      ed25519: true,
    });
    expect(Object.keys(shown).sort()).toEqual(['certificate', 'expires_at', 'fingerprint']);
    expect(await dispatched(id)).toMatchObject({
      headers: { authorization: 'Bearer hush-header', 'x-api-key': 'hush-key', 'x-plain': 'seen' },
      route: {
        proxy: secretive.proxy,
        clientCertificate: { certificate: client.cert, privateKey: client.key },
      },
    });
  });

  test('nothing is lost to a client that reads an endpoint, changes something, and writes it back', async () => {
    const { id } = await create(secretive);
    const { headers, proxy, client_certificate, ed25519 } = (await read(id)).json<EndpointJson>();
    const { secrets } = await dispatched(id);
    const body = { headers: { ...headers, 'X-New': 'n' }, proxy, client_certificate, ed25519, description: 'changed' };
    const answer = await patch(id, body);
    expect([answer.status, answer.json()]).toEqual([200, expect.objectContaining(body)]);
    expect(await settingsOf(id)).toEqual({ ...secretive, headers: { ...secretive.headers, 'X-New': 'n' } });
    expect((await dispatched(id)).secrets.map(({ privateKey }) => privateKey?.export({ format: 'jwk' }))).toEqual(
      secrets.map(({ privateKey }) => privateKey?.export({ format: 'jwk' })),
    );
  });

  test('a header that was set before its name counted as sensitive is masked, kept by its mask, and sealed by a change', async () => {
    const { id } = await create({});
    await api.postgres.query('UPDATE endpoints SET settings = $2 WHERE id = $1', [
      id,
      JSON.stringify({ headers: { 'X-Token': 'hush' } }),
    ]);
    expect((await read(id)).json()).toMatchObject({ headers: { 'X-Token': '***' } });
    expect((await patch(id, { headers: { 'X-Token': '***' } })).status).toBe(200);
    expect(await settingsOf(id)).toEqual({ headers: { 'X-Token': 'hush' } });
    expect((await rowOf(id)).settings).toEqual({ headers: { 'X-Token': '***' } });
  });

  test('a column that was put in another’s place is not opened by a change', async () => {
    const [one, another] = [await create(secretive), await create(secretive)];
    const before = await settingsOf(one.id);
    await api.postgres.query(
      'UPDATE endpoints SET private = (SELECT private FROM endpoints WHERE id = $2) WHERE id = $1',
      [another.id, one.id],
    );
    expect((await patch(another.id, { description: 'x' })).json()).toMatchObject({ status: 500 });
    await api.postgres.query('UPDATE endpoints SET private = secrets WHERE id = $1', [another.id]);
    expect((await patch(another.id, { description: 'x' })).json()).toMatchObject({ status: 500 });
    expect((await read(another.id)).status).toBe(200);
    expect(await settingsOf(one.id)).toEqual(before);
  });
});

describe('a PATCH', () => {
  const start = { headers: { Authorization: 'Bearer hush', 'X-Plain': 'seen' } };

  test.each([
    ['sets one', { 'X-New': 'n' }, { ...start.headers, 'X-New': 'n' }],
    ['changes one', { Authorization: 'Bearer other' }, { ...start.headers, Authorization: 'Bearer other' }],
    ['changes one by another case', { 'x-plain': 'p' }, { Authorization: 'Bearer hush', 'x-plain': 'p' }],
    ['takes one away', { Authorization: null }, { 'X-Plain': 'seen' }],
    ['takes one away by another case', { authorization: null }, { 'X-Plain': 'seen' }],
    ['keeps one by its mask', { Authorization: '***' }, start.headers],
    [
      'keeps one by its mask in another case',
      { authorization: '***' },
      { authorization: 'Bearer hush', 'X-Plain': 'seen' },
    ],
    ['renames one', { 'X-PLAIN': 'p', 'x-plain': null }, { Authorization: 'Bearer hush', 'X-PLAIN': 'p' }],
    ['changes none', {}, start.headers],
  ])('of headers %s', async (_what, headers, expected) => {
    const { id } = await create(start);
    expect((await patch(id, { headers })).status).toBe(200);
    expect(await settingsOf(id)).toEqual({ headers: expected });
  });

  test.each([
    ['another host', 'https://elsewhere.example/hook'],
    ['another port', 'https://receiver.example:8443/hook'],
  ])('of the URL to %s takes no header along that nobody is shown', async (_what, moved) => {
    const { id } = await create(start);
    const before = await rowOf(id);
    const refused = await patch(id, { url: moved });
    expect(refused.json()).toMatchObject({ status: 400, errors: [{ field: '/headers/Authorization' }] });
    const masked = await patch(id, { url: moved, headers: { Authorization: '***' } });
    expect(masked.json()).toMatchObject({ status: 400, errors: [{ field: '/headers/Authorization' }] });
    expect(await rowOf(id)).toEqual(before);

    expect((await patch(id, { url: moved, headers: { authorization: 'Bearer given again' } })).status).toBe(200);
    expect(await settingsOf(id)).toEqual({ headers: { authorization: 'Bearer given again', 'X-Plain': 'seen' } });
    expect((await patch(id, { url, headers: { authorization: null } })).status).toBe(200);
  });

  test('of the URL to another host needs passed credentials and the certificate again', async () => {
    const { id } = await create({ pass_headers: ['Authorization', 'X-Trace'], client_certificate: pair });
    const before = await rowOf(id);
    const moved = 'https://elsewhere.example/hook';
    const refused = await patch(id, { url: moved });
    expect(refused.json()).toMatchObject({
      status: 400,
      errors: [{ field: '/pass_headers' }, { field: '/client_certificate/private_key' }],
    });
    const shown = await patch(id, { url: moved, client_certificate: { certificate: pair.certificate } });
    expect(shown.json<{ errors: object[] }>().errors).toHaveLength(2);
    expect(await rowOf(id)).toEqual(before);

    const given = { pass_headers: ['Authorization'], client_certificate: pair };
    expect((await patch(id, { url: moved, ...given })).status).toBe(200);
    expect((await patch(id, { url, pass_headers: ['X-Trace'], client_certificate: null })).status).toBe(200);
    expect((await patch(id, { url: moved })).status).toBe(200);
  });

  test('of the URL within its origin keeps them', async () => {
    const { id } = await create(start);
    expect((await patch(id, { url: `${url}/v2?x=1` })).status).toBe(200);
    expect(await settingsOf(id)).toEqual(start);
  });

  test('of headers by null takes all of them away, sealed ones too', async () => {
    const { id } = await create(start);
    expect((await patch(id, { headers: null })).json()).toMatchObject({ headers: {} });
    expect(await rowOf(id)).toMatchObject({ settings: {}, private: null });
  });

  test.each([
    [{ headers: { 'X-Token': '***' } }, '/headers/X-Token'],
    [{ headers: { 'x-a': 'a', 'X-A': 'b' } }, '/headers/X-A'],
    [{ headers: { Host: 'a' } }, '/headers/Host'],
    [{ headers: { 'X-A': { b: null } } }, '/headers/X-A'],
    [{ headers: 'Authorization' }, '/headers'],
    [{ proxy: 'http://user:***@proxy.example' }, '/proxy'],
    [{ client_certificate: { certificate: client.cert } }, '/client_certificate/private_key'],
    [{ client_certificate: { private_key: client.key } }, '/client_certificate/certificate'],
    [{ method: 'GET' }, '/method'],
    [{ ed25519: 1 }, '/ed25519'],
    [{ public_keys: [] }, '/public_keys'],
    [{ private: 'x' }, '/private'],
  ])('%j is refused at %s, and changes nothing', async (body, field) => {
    const { id } = await create(start);
    const before = await rowOf(id);
    expect((await patch(id, body)).json()).toMatchObject({ status: 400, errors: [{ field }] });
    expect(await rowOf(id)).toEqual(before);
  });

  test('of a proxy keeps its password where it comes back as it was shown, and for no other host', async () => {
    const { id } = await create({ proxy: secretive.proxy });
    expect((await patch(id, { proxy: 'http://user:***@proxy.example:3128' })).status).toBe(200);
    expect(await settingsOf(id)).toEqual({ proxy: secretive.proxy });
    for (const proxy of ['http://user:***@elsewhere.example:3128', 'http://other:***@proxy.example:3128'])
      expect((await patch(id, { proxy })).json()).toMatchObject({ status: 400, errors: [{ field: '/proxy' }] });
    expect((await patch(id, { proxy: 'http://proxy.example' })).json()).toMatchObject({
      proxy: 'http://proxy.example',
    });
    expect(await rowOf(id)).toMatchObject({ settings: { proxy: 'http://proxy.example' }, private: null });
    expect((await patch(id, { proxy: null })).json()).not.toHaveProperty('proxy');
  });

  test('judges a proxy only where it is another', async () => {
    const { id } = await create({ proxy: 'http://proxy.example' });
    const closed = { settings: { proxy: 'http://127.0.0.1' } };
    await api.postgres.query('UPDATE endpoints SET settings = $2 WHERE id = $1', [id, JSON.stringify(closed.settings)]);
    expect((await patch(id, { description: 'x' })).json()).toMatchObject({ description: 'x', ...closed.settings });
    const refused = await patch(id, { proxy: 'http://127.0.0.2' });
    expect(refused.json()).toMatchObject({ code: 'url_not_allowed', errors: [{ field: '/proxy' }] });
  });

  test('replaces a certificate with its key as a whole, keeps it as it was shown, and by null takes it away', async () => {
    const { id, client_certificate: shown } = await create({ client_certificate: pair });
    expect((await patch(id, { client_certificate: shown })).status).toBe(200);
    expect((await patch(id, { client_certificate: { certificate: client.cert } })).status).toBe(200);
    expect(await settingsOf(id)).toEqual({ client_certificate: pair });

    expect((await patch(id, { client_certificate: { private_key: client.key } })).json()).toMatchObject({
      errors: [{ field: '/client_certificate/certificate', message: 'is missing' }],
    });
    const other = (await patch(id, { client_certificate: otherPair })).json<EndpointJson>();
    expect(other.client_certificate.fingerprint).not.toBe(shown.fingerprint);
    expect((await patch(id, { client_certificate: shown })).json()).toMatchObject({ status: 400 });
    expect(await settingsOf(id)).toEqual({ client_certificate: otherPair });

    const chain = { ...pair, certificate: client.cert + authority };
    expect((await patch(id, { client_certificate: chain })).json()).toMatchObject({
      client_certificate: { fingerprint: shown.fingerprint },
    });
    expect((await patch(id, { client_certificate: null })).json()).not.toHaveProperty('client_certificate');
    expect(await rowOf(id)).toMatchObject({ settings: {}, private: null });
  });

  test('counts each change once, and only in the state that a client has seen', async () => {
    const { id } = await create({});
    const changes = [
      { method: 'PATCH' },
      { headers: { Authorization: 'a' } },
      { proxy: secretive.proxy },
      { client_certificate: pair },
      { ed25519: true },
      { ed25519: false, method: 'PUT' },
    ];
    let { etag = '' } = (await read(id)).headers;
    for (const [index, change] of changes.entries()) {
      const before = await rowOf(id);
      const answer = await patch(id, change, { 'if-match': etag });
      expect([answer.status, (await patch(id, change, { 'if-match': etag })).status]).toEqual([200, 412]);
      etag = answer.headers.etag ?? '';
      expect([etag, (await read(id)).headers.etag]).toEqual([`"${index + 2}"`, etag]);
      const after = await rowOf(id);
      expect(after.revision).toBe(before.revision + 1);
      expect(after.changed_at > before.changed_at).toBe(true);
    }
  });
});

describe('an Ed25519 signature', () => {
  /** As receivers have it, of each key that the dispatcher signs with. */
  const publicKeys = async (id: string): Promise<(string | null)[]> =>
    (await dispatched(id)).secrets.map(({ privateKey }) => {
      if (privateKey === null) return null;
      const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
      return `whpk_${spki.subarray(-32).toString('base64')}`;
    });
  const shown = async (id: string): Promise<string[]> => (await read(id)).json<EndpointJson>().public_keys;

  test('goes with each delivery of an endpoint that was created with it', async () => {
    const { id, public_keys: keys } = await create({ ed25519: true });
    expect(keys).toEqual([expect.stringMatching(/^whpk_[A-Za-z0-9+/]{43}=$/)]);
    expect(await publicKeys(id)).toEqual(keys);
    expect(await shown(id)).toEqual(keys);
    expect((await create({})).public_keys).toEqual([]);
  });

  test('is switched on with a new pair, off with none, and stays as it is in between', async () => {
    const { id } = await create({});
    expect(await publicKeys(id)).toEqual([null]);
    const on = (await patch(id, { ed25519: true })).json<EndpointJson>().public_keys;
    expect(await publicKeys(id)).toEqual(on);
    expect((await patch(id, { ed25519: true, description: 'x' })).json()).toMatchObject({ public_keys: on });
    expect((await act(id, 'disable')).json()).toMatchObject({ public_keys: on });

    expect((await patch(id, { ed25519: null })).json()).toMatchObject({ ed25519: false, public_keys: [] });
    expect(await publicKeys(id)).toEqual([null]);
    const again = (await patch(id, { ed25519: true })).json<EndpointJson>().public_keys;
    expect(again).toHaveLength(1);
    expect(again).not.toEqual(on);
  });

  test('is rotated with its secret, the old key in force for as long as that', async () => {
    const { id, public_keys: first } = await create({ ed25519: true });
    expect((await act(id, 'rotate-secret', { overlap_seconds: 600 })).status).toBe(200);
    const both = await shown(id);
    expect(both).toEqual([expect.not.stringMatching(first[0] as string), first[0]]);
    expect(await publicKeys(id)).toEqual(both);
    const { secrets } = await dispatched(id);
    expect(secrets.map(({ expiresAt }) => expiresAt === null)).toEqual([true, false]);

    expect((await act(id, 'rotate-secret', { overlap_seconds: 0 })).status).toBe(200);
    const last = await shown(id);
    expect(last).toHaveLength(1);
    expect(both).not.toContain(last[0]);
    expect(await publicKeys(id)).toEqual(last);
  });

  test('that was switched on during a rotation goes with the new secret alone', async () => {
    const { id } = await create({});
    await act(id, 'rotate-secret', { overlap_seconds: 600 });
    const { public_keys: keys } = (await patch(id, { ed25519: true })).json<EndpointJson>();
    expect(await publicKeys(id)).toEqual([keys[0], null]);
  });

  test('by a key that has ended is not one that a receiver is told to take', async () => {
    const { id } = await create({ ed25519: true });
    await act(id, 'rotate-secret', { overlap_seconds: 1 });
    const [newest] = await shown(id);
    await waitUntil('the old key has ended', async () => (await shown(id)).length === 1);
    expect(await shown(id)).toEqual([newest]);
    expect((await api.ask({ path: '/v1/endpoints?limit=1000' })).json<EndpointJson[]>()).toContainEqual(
      expect.objectContaining({ id, public_keys: [newest] }),
    );
  });

  test('keeps its key when a rotation to the same secret is repeated', async () => {
    const { id } = await create({ ed25519: true });
    const rotation = { secret: 'my own', overlap_seconds: 600 };
    await act(id, 'rotate-secret', rotation);
    const keys = await shown(id);
    await act(id, 'rotate-secret', rotation);
    expect(await shown(id)).toEqual(keys);
  });
});

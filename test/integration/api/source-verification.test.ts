/** The API says of a webhook what the ingress answers; a sample is accepted by it. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { SourceSettings } from '#lib/contract';
import { authorization, buildTestApp } from '../../unit/api/build-test-app.ts';
import { signAsHookline } from '../../support/sign-webhook.ts';
import { schemeCases } from '../../unit/signatures/scheme-cases.ts';
import type { Ingress } from '../ingress/ingress-process.ts';
import { type ApiWithIngress, openApiWithIngress } from './api-with-ingress.ts';

let world: ApiWithIngress;
let ingress: Ingress;
beforeAll(async () => {
  world = await openApiWithIngress();
  ingress = await world.startIngress();
});
afterAll(() => world?.close());

interface Sample {
  url: string;
  headers: Record<string, string>;
  body: string;
  curl: string;
}

const create = async (
  body: SourceSettings & { scheme: string; secret?: string },
): Promise<{ id: string; secret: string }> => {
  const answer = await world.api.ask({ method: 'POST', path: '/v1/sources', body: { name: 's', ...body } });
  expect([answer.text, answer.status]).toEqual([answer.text, 201]);
  return answer.json();
};
const post = (id: string, verb: 'verify' | 'sample', body: object = {}, more: { tenant?: string } = {}) =>
  world.api.ask({ method: 'POST', path: `/v1/sources/${id}/${verb}`, body, ...more });

const signing = schemeCases.filter(({ publicOf, query }) => publicOf === undefined && query === undefined);

test.each(signing)(
  'a sample of a source of $name is accepted by the ingress',
  async ({ scheme, settings, secrets }) => {
    const source = await create({ scheme, ...settings, secret: secrets[0] });
    const sample = (await post(source.id, 'sample')).json<Sample>();
    const body = Buffer.from(sample.body);
    expect((await ingress.post(source.id, body, sample.headers)).status).toBe(202);
    expect((await post(source.id, 'verify', { headers: sample.headers, body: sample.body })).json()).toMatchObject({
      verified: true,
      status: 202,
    });
    expect((await ingress.post(source.id, Buffer.concat([body, Buffer.from('&x=1')]), sample.headers)).status).toBe(
      401,
    );
  },
);

test('the command of a sample sends it', async () => {
  const source = await create({ scheme: 'hookline' });
  const { curl, url } = (await post(source.id, 'sample', { body: `{"id":"it's \\n"}` })).json<Sample>();
  const run = curl.replace(url, `${ingress.url}/v1/webhooks/${source.id}`);
  expect(run).not.toBe(curl);
  const { stdout } = await promisify(execFile)('sh', ['-c', run]);
  expect(JSON.parse(stdout)).toMatchObject({ id: expect.stringMatching(/^rcp_/) as string });
});

test('a source with a public key has no sample, and says so', async () => {
  const pair = schemeCases.find(({ publicOf }) => publicOf !== undefined);
  const source = await create({ scheme: 'standard-webhooks', secret: pair?.publicOf?.(pair.secrets[0]) ?? '' });
  const answer = await post(source.id, 'sample');
  expect(answer.json()).toMatchObject({ status: 409, code: 'conflict' });
});

test('each verdict is the answer of the ingress', async () => {
  const source = await create({ scheme: 'hookline' });
  const body = Buffer.from('{"id":"1"}');
  const at = Math.floor(Date.now() / 1_000);
  const signed = signAsHookline(source.secret, body, at);
  const requests: [string | null, Record<string, string>, Buffer][] = [
    [null, signed, body],
    ['signature_missing', {}, body],
    ['signature_malformed', { 'Hookline-Signature': 't=x' }, body],
    ['timestamp_out_of_tolerance', signAsHookline(source.secret, body, at - 400), body],
    ['signature_invalid', signed, Buffer.from('{"id":"2"}')],
  ];
  for (const [code, headers, sent] of requests) {
    const answered = await ingress.post(source.id, sent, headers);
    const given = { headers, body: sent.toString('base64'), body_encoding: 'base64' };
    const verification = await post(source.id, 'verify', given);
    expect(verification.json()).toMatchObject({ verified: code === null, code, status: answered.status });
    expect(verification.text).not.toContain(source.secret);
  }
});

test('verifying needs the scope read, a sample the scope write; neither knows another tenant’s source, or a deleted one', async () => {
  const source = await create({ scheme: 'hookline' });
  const given = { headers: {}, body: '' };
  const asked = async (scope: 'read' | 'write' | 'publish', verb: 'verify' | 'sample', tenant = 'default') => {
    const { ask } = buildTestApp({
      postgres: world.api.postgres,
      findKey: async () => ({ id: 'key_1', tenant, scopes: [scope], rateLimit: undefined }),
    });
    const headers = { authorization: 'Bearer a-key', 'content-type': 'application/json' };
    const body = verb === 'verify' ? given : {};
    return (await ask({ method: 'POST', path: `/v1/sources/${source.id}/${verb}`, headers, body })).status;
  };
  expect(await asked('read', 'verify')).toBe(200);
  expect(await asked('publish', 'verify')).toBe(403);
  expect(await asked('read', 'sample')).toBe(403);
  expect(await asked('write', 'sample')).toBe(200);
  expect(await asked('read', 'verify', 'other')).toBe(404);
  expect(await asked('write', 'sample', 'other')).toBe(404);
  await world.api.ask({ method: 'DELETE', path: `/v1/sources/${source.id}`, headers: { authorization } });
  expect(await asked('read', 'verify')).toBe(410);
  expect(await asked('write', 'sample')).toBe(410);
});

test('a body that is not base64 and a header that is none are refused by their names', async () => {
  const { id } = await create({ scheme: 'hookline' });
  const fields = async (given: object): Promise<unknown> => {
    const answer = await post(id, 'verify', given);
    return [answer.status, answer.json<{ errors: { field: string }[] }>().errors.map(({ field }) => field)];
  };
  expect(await fields({ headers: {}, body: '%', body_encoding: 'base64' })).toEqual([400, ['/body']]);
  expect(await fields({ headers: { 'a b': 'c' }, body: '' })).toEqual([400, ['/headers', '/headers']]);
  expect(await fields({ headers: {}, body: '', query: 'a=1' })).toEqual([400, ['/query']]);
});

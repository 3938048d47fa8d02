import { closeApps } from './ask.ts';
import { authorization, buildTestApp, postgresOf } from './build-test-app.ts';

const headers = { authorization, 'content-type': 'application/json' };
const hmac = { algorithm: 'sha256', encoding: 'hex', header: 'X-Signature', signed: 'body' };

afterAll(closeApps);

let inserted: unknown;
// One for all: it keeps nothing, and compiling the schemas is what takes time.
const { ask } = buildTestApp({
  postgres: postgresOf(async (_text, values = []) => {
    inserted = JSON.parse(values[4] as string);
    return [
      {
        id: 'src_1',
        name: 'n',
        scheme: 'hmac',
        settings: {},
        dedup_rule: 2,
        revision: 1,
        created_at: '',
        deleted_at: null,
      },
    ];
  }),
});

/** The settings as they are stored, or the fields that are refused. */
async function create(source: object): Promise<{ stored: unknown } | { refused: string[] }> {
  const body = { name: 'shop', scheme: 'hookline', ...source };
  const answer = await ask({ method: 'POST', path: '/v1/sources', headers, body });
  if (answer.status === 201) return { stored: inserted };
  expect(answer.json()).toMatchObject({ status: 400, code: 'validation_failed' });
  return { refused: answer.json<{ errors: { field: string }[] }>().errors.map(({ field }) => field) };
}

test.each([
  [{ dedup_id: '/data/object/id' }, { dedup_id: ['/data/object/id'] }],
  [{ event_type_from: 'header:X-Type' }, { event_type_from: ['header:X-Type'] }],
  [{ ordering_key: '/customer' }, { ordering_key: ['/customer'] }],
  [{ ordering_key: ['/a', 'header:B'] }, { ordering_key: ['/a', 'header:B'] }],
  [{ tags_from: { customer: '/data/customer', 'X_repo.1-a': 'header:X-Repo' } }, undefined],
  [{ tags_from: {} }, undefined],
  [{ allowed_ips: ['192.0.2.1', '198.51.100.0/24', '2001:db8::/32', '::1'] }, undefined],
  [{ rate_limit: { per_second: 0.5, burst: 1 } }, undefined],
  [{ keep_rejected_bodies: true, verify_token: ' any text ' }, undefined],
  [{ public_url: 'https://example.com:8443/hooks?a=b' }, undefined],
  [{ client_certificate: { required: true } }, undefined],
  [
    { client_certificate: { required: true, fingerprints: ['AB:'.repeat(31) + 'CD', 'ef'.repeat(32)] } },
    { client_certificate: { required: true, fingerprints: ['ab'.repeat(31) + 'cd', 'ef'.repeat(32)] } },
  ],
])('%j is kept, in the one form that the ingress reads', async (given, stored) => {
  expect(await create(given)).toEqual({ stored: stored ?? given });
});

test('what the scheme hmac needs is kept with it', async () => {
  expect(await create({ scheme: 'hmac', hmac })).toEqual({ stored: { hmac } });
});

test.each([
  [{ dedup_id: 'id' }, '/dedup_id'],
  [{ dedup_id: ['/id', 'id'] }, '/dedup_id/1'],
  [{ dedup_id: [] }, '/dedup_id'],
  [{ dedup_id: 7 }, '/dedup_id'],
  [{ dedup_id: ['/a', ['/b']] }, '/dedup_id/1'],
  [{ ordering_key: 'header:a b' }, '/ordering_key'],
  [{ tags_from: { a: 'customer' } }, '/tags_from/a'],
  [{ tags_from: { a: ['/a'] } }, '/tags_from/a'],
  [{ tags_from: { 'a:b': '/a' } }, '/tags_from/a:b'],
  [{ tags_from: { ['a'.repeat(65)]: '/a' } }, `/tags_from/${'a'.repeat(65)}`],
  [{ tags_from: Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, '/a'])) }, '/tags_from'],
  [{ tags_from: '/a' }, '/tags_from'],
  [{ allowed_ips: [] }, '/allowed_ips'],
  [{ allowed_ips: ['192.0.2.1', '192.0.2.0/33'] }, '/allowed_ips/1'],
  [{ allowed_ips: ['example.com'] }, '/allowed_ips/0'],
  [{ allowed_ips: '192.0.2.1' }, '/allowed_ips'],
  [{ rate_limit: { per_second: 0, burst: 1 } }, '/rate_limit/per_second'],
  [{ rate_limit: { per_second: -1, burst: 1 } }, '/rate_limit/per_second'],
  [{ rate_limit: { per_second: 1e9, burst: 1 } }, '/rate_limit/per_second'],
  [{ rate_limit: { per_second: 1, burst: 0 } }, '/rate_limit/burst'],
  [{ rate_limit: { per_second: 1, burst: 1.5 } }, '/rate_limit/burst'],
  [{ rate_limit: { per_second: 1 } }, '/rate_limit/burst'],
  [{ public_url: 'ftp://example.com' }, '/public_url'],
  [{ public_url: '/hooks' }, '/public_url'],
  [{ public_url: 'https://exa mple.com' }, '/public_url'],
  [{ public_url: 'https://example.com:99999/' }, '/public_url'],
  [{ public_url: 'https://example.com/#part' }, '/public_url'],
  [{ client_certificate: {} }, '/client_certificate/required'],
  [{ client_certificate: { required: true, fingerprints: ['ab'] } }, '/client_certificate/fingerprints/0'],
  [{ verify_token: '' }, '/verify_token'],
  [{ verify_token: 'a\nb' }, '/verify_token'],
  [{ keep_rejected_bodies: 'yes' }, '/keep_rejected_bodies'],
  [{ response_status: 201 }, '/response_status'],
  [{ hmac }, '/hmac'],
  [{ scheme: 'hmac' }, '/hmac'],
  [{ scheme: 'hmac', hmac: { ...hmac, algorithm: 'md5' } }, '/hmac/algorithm'],
  [{ scheme: 'hmac', hmac: { ...hmac, signed: 'nothing' } }, '/hmac/signed'],
  [{ scheme: 'hmac', hmac: { ...hmac, signed: 'timestamp.body' } }, '/hmac/timestamp_header'],
  [{ scheme: 'square' }, '/public_url'],
  [{ scheme: 'twilio' }, '/public_url'],
  [{ scheme: 'adyen', secret: 'not hex' }, '/secret'],
  [{ secret: 'whsec_' }, '/secret'],
])('%j is refused at %s', async (given, field) => {
  expect(await create(given)).toEqual({ refused: [field] });
});

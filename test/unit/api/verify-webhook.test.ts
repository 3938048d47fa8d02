import type { SourceSettings } from '#lib/contract';
import { formatMicros } from '#lib/runtime';
import { type HeaderValues, schemeSettings, signatureSchemes } from '#lib/signatures';
import { curlLine, sampleWebhook } from '../../../services/api/sources/verifying/sample-webhook.ts';
import type { VerifiedSource } from '../../../services/api/sources/verifying/verdict.ts';
import type { Verification } from '#lib/api-contract';
import { verifyWebhook } from '../../../services/api/sources/verifying/verify-webhook.ts';
import { heldSecrets, schemeCases } from '../signatures/scheme-cases.ts';
import type { SchemeCase } from '../signatures/signature-forms.ts';

const nowSeconds = 1_800_000_000;
const nowMs = nowSeconds * 1_000;

interface Change {
  headers?: (headers: Record<string, string>) => HeaderValues;
  body?: Buffer;
  atSeconds?: number;
  secret?: string;
  settings?: SourceSettings;
  address?: string;
}

/** A source of the case, and a webhook as its provider sends it, but for the change. */
function verified(testCase: SchemeCase, change: Change = {}): Verification {
  const [secret, , other] = testCase.secrets;
  const body = testCase.bodyOf?.(Buffer.from('{"id":"evt_1"}')) ?? Buffer.from('{"id":"evt_1"}');
  const signed = { time: String(change.atSeconds ?? nowSeconds), id: 'msg_1', body };
  const headers = testCase.headers({ ...signed, secret: change.secret === 'another' ? other : secret });
  const source: VerifiedSource = {
    scheme: testCase.scheme,
    settings: { ...testCase.settings, ...change.settings },
    secrets: heldSecrets(testCase, [secret]).map((one) => ({ secret: one })),
  };
  const webhook = {
    headers: change.headers?.(headers) ?? headers,
    body: change.body ?? body,
    query: testCase.query?.(body) ?? '',
    address: change.address,
  };
  return verifyWebhook(source, webhook, nowMs);
}

describe.each(schemeCases)('a webhook of $name', (testCase) => {
  const { signature, time, timeHeader } = testCase;
  const without =
    (name: string) =>
    (headers: Record<string, string>): HeaderValues =>
      Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));

  it('is verified as it was sent', () => {
    expect(verified(testCase)).toMatchObject({ verified: true, step: null, code: null, status: 202 });
  });

  it('fails at the signature header where that is missing, which is named', () => {
    const { detail, ...answer } = verified(testCase, { headers: without(signature) });
    expect(answer).toMatchObject({ verified: false, step: 'signature_header', code: 'signature_missing', status: 401 });
    const settings = schemeSettings(testCase.scheme, testCase.settings ?? {});
    expect(detail).toContain(`\`${testCase.name.includes('svix') ? settings.signatureHeader : signature}\``);
  });

  it('fails at the signature if another secret has signed it, or its body is another', () => {
    for (const change of [{ secret: 'another' }, { body: Buffer.from('{"id":"evt_2"}') }])
      expect(verified(testCase, change)).toMatchObject({ step: 'signature', code: 'signature_invalid', status: 401 });
  });

  if (time === undefined) return;
  it('fails at its time where that is too old or in the future; says by how much, and whether all else is right', () => {
    for (const [atSeconds, words] of [
      [nowSeconds - 301, '301 seconds ago'],
      [nowSeconds + 400, '400 seconds in the future'],
    ] as const) {
      const answer = verified(testCase, { atSeconds });
      expect(answer).toMatchObject({ step: 'timestamp', code: 'timestamp_out_of_tolerance', status: 401 });
      expect(answer.detail).toContain(words);
      expect(answer.detail).toContain('the signature itself is valid');
      expect(verified(testCase, { atSeconds, secret: 'another' }).detail).toContain('is wrong, too');
    }
    expect(verified(testCase, { atSeconds: nowMs }).detail).toContain('milliseconds');
  });

  if (timeHeader === undefined) return;
  it('fails at its headers where that of the time is missing, which is named', () => {
    const { detail, ...answer } = verified(testCase, { headers: without(timeHeader) });
    expect(answer).toMatchObject({ step: 'signature_header', code: 'signature_malformed', status: 400 });
    expect(detail).toContain(`\`${timeHeader}\``);
  });
});

const hookline = schemeCases.find(({ name }) => name === 'hookline') as SchemeCase;
const github = schemeCases.find(({ name }) => name === 'github') as SchemeCase;

describe('what is wrong with a webhook', () => {
  const signedBody = (signed: string, arrived: string): string => {
    const source: VerifiedSource = { scheme: 'github', settings: {}, secrets: [{ secret: 'one' }] };
    const sign = { secret: 'one', timestampSeconds: nowSeconds, body: Buffer.from(signed), id: 'msg_1' };
    const headers = signatureSchemes.github.sign({ ...sign, settings: schemeSettings('github', {}) });
    const lowered = { 'x-hub-signature-256': headers['X-Hub-Signature-256'] };
    const webhook = { headers: lowered, body: Buffer.from(arrived), query: '', address: undefined };
    return verifyWebhook(source, webhook, nowMs).detail;
  };

  it('is another form of the body, if that was signed', () => {
    expect(signedBody('{"a":1}', '{"a":1}\n')).toContain('without its last line break');
    expect(signedBody('{"a":1}\n', '{"a":1}')).toContain('with a line break at its end');
    expect(signedBody('{"a":1}', '{ "a": 1 }')).toContain('as JSON without spaces');
    expect(signedBody('{\n  "a": 1\n}', '{"a":1}')).toContain('as indented JSON');
    expect(signedBody('', '{"a":1}')).toContain('as an empty text');
    expect(signedBody('{"b":1}', '{"a":1}')).toContain('Check that the sender signs with the secret');
  });

  it('is an expired secret, if that has signed it; no answer has a secret or a signature', () => {
    const [one, two] = ['the earlier secret', 'the later secret'];
    const expiresAt = formatMicros((nowMs - 1_000) * 1_000);
    const source: VerifiedSource = {
      scheme: 'github',
      settings: {},
      secrets: [{ secret: two }, { secret: one, expires_at: expiresAt }],
    };
    const body = Buffer.from('{}');
    const headers = github.headers({ secret: one, time: '', id: '', body });
    const answer = verifyWebhook(source, { headers, body, query: '', address: undefined }, nowMs);
    expect(answer).toMatchObject({ verified: false, code: 'signature_invalid' });
    expect(answer.detail).toContain(`expired at ${expiresAt}`);
    const right = github.headers({ secret: two, time: '', id: '', body });
    for (const secret of [one, two, ...Object.values(right)]) expect(JSON.stringify(answer)).not.toContain(secret);
  });

  it('is a signature header that came twice, or those of another scheme', () => {
    const twice = ({ ...headers }: Record<string, string>) => ({ ...headers, 'hookline-signature': ['a', 'b'] });
    expect(verified(hookline, { headers: twice }).detail).toBe('Send the header `hookline-signature` once');
    const others = () => ({ 'x-hub-signature-256': 'sha256=00' });
    expect(verified(hookline, { headers: others }).detail).toContain('The headers are those of github');
  });

  it('is the address before all else, if it is given and not allowed', () => {
    const settings = { allowed_ips: ['192.0.2.0/24'] };
    const refused = verified(hookline, { settings, address: '198.51.100.1', headers: () => ({}) });
    expect(refused).toMatchObject({ step: 'address', code: 'address_not_allowed', status: 403, not_checked: [] });
    expect(verified(hookline, { settings, address: '192.0.2.7' })).toMatchObject({ verified: true, not_checked: [] });
    expect(verified(hookline, { settings })).toMatchObject({ verified: true, not_checked: ['address'] });
    const certified = { client_certificate: { required: true } };
    expect(verified(hookline, { settings: certified })).toMatchObject({ not_checked: ['client_certificate'] });
  });

  it('is a body beyond the limit, before its headers', () => {
    const body = Buffer.alloc(1024 * 1024 + 1);
    expect(verified(hookline, { body, headers: () => ({}) })).toMatchObject({ step: 'length', status: 413 });
  });
});

describe('a sample', () => {
  const random = (size: number): Buffer => Buffer.alloc(size, 7);

  it.each(schemeCases.filter(({ query }) => query === undefined))(
    'of $name is accepted as if its provider had sent it',
    (testCase) => {
      const [secret] = testCase.secrets;
      const [held = ''] = heldSecrets(testCase, [secret]);
      const source = { scheme: testCase.scheme, settings: testCase.settings ?? {}, secrets: [{ secret: held }] };
      const sample = sampleWebhook(source, { body: undefined, nowMs, random });
      if (testCase.publicOf !== undefined) {
        expect(sample).toEqual({ problem: expect.stringContaining('public key') as string });
        return;
      }
      if ('problem' in sample) throw new Error(sample.problem);
      const headers = Object.fromEntries(
        Object.entries(sample.headers).map(([name, value]) => [name.toLowerCase(), value]),
      );
      // The cases of these two are written down unlike a sample: other headers, and a form of certain names.
      if (!/svix|form/.test(testCase.name))
        expect(testCase.accepts({ headers, secrets: [held], nowSeconds, body: sample.body })).toBe(true);
      expect(verifyWebhook(source, { headers, body: sample.body, query: '', address: undefined }, nowMs)).toMatchObject(
        {
          verified: true,
        },
      );
    },
  );

  it('has the id and the type where the source looks for them', () => {
    const settings: SourceSettings = { dedup_id: ['/data/0/a~1b'], event_type_from: ['header:X-Type', '/type'] };
    const sample = sampleWebhook(
      { scheme: 'hookline', settings, secrets: [{ secret: 'one' }] },
      { body: undefined, nowMs, random },
    );
    if ('problem' in sample) throw new Error(sample.problem);
    expect(JSON.parse(sample.body.toString())).toEqual({ data: [{ 'a/b': `sample_${'07'.repeat(12)}` }] });
    expect(sample.headers).toMatchObject({ 'X-Type': 'sample', 'Content-Type': 'application/json' });
  });

  it('is signed by the secret that stays, of a body that is given', () => {
    const secrets = [{ secret: 'new' }, { secret: 'old', expires_at: '2100-01-01T00:00:00.000000Z' }];
    const sample = sampleWebhook(
      { scheme: 'github', settings: {}, secrets },
      { body: Buffer.from('mine'), nowMs, random },
    );
    if ('problem' in sample) throw new Error(sample.problem);
    expect(sample.body.toString()).toBe('mine');
    const [right] = Object.values(github.headers({ secret: 'new', time: '', id: '', body: sample.body }));
    expect(sample.headers['X-Hub-Signature-256']).toBe(right);
  });

  it('is a line for a shell in which no value is a command', () => {
    const line = curlLine('http://in/v1', { headers: { 'X-A': "it's $(x)" }, body: Buffer.from("@'`id`\n") });
    expect(line).toBe(`curl -sS -X POST 'http://in/v1' -H 'X-A: it'\\''s $(x)' --data-raw '@'\\''\`id\`\n'`);
    expect(curlLine('http://in/v1', { headers: {}, body: Buffer.from([0, 255]) })).toBe(
      `printf %s 'AP8=' | base64 -d | curl -sS -X POST 'http://in/v1' --data-binary @-`,
    );
  });
});

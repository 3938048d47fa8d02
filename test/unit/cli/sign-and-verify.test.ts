import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sourceSchemes } from '#lib/contract';
import { sign, verify } from '../../../services/cli/commands/tools.ts';
import { runCommand } from '../../../services/cli/run-command.ts';
import { createOwnContext } from '../../support/own-context.ts';
import { runHookline } from '../../support/run-hookline.ts';
import { heldSecrets, schemeCases } from '../signatures/scheme-cases.ts';
import { providerVectors } from '../signatures/vectors.ts';

const folder = mkdtempSync(join(tmpdir(), 'hookline-sign-'));
const bodyFile = join(folder, 'body');
const body = Buffer.from([0xff, 0x00, 0x0a, 0x7b]);
writeFileSync(bodyFile, body);
afterAll(() => rmSync(folder, { recursive: true }));

const now = '1700000000';
const hookline = ['--scheme', 'hookline', '--secret', 's', '--now', now, '--body-file', bodyFile];
const right = 'Hookline-Signature: t=1700000000,v1=';

const headerOptions = (lines: string): string[] =>
  lines
    .trimEnd()
    .split('\n')
    .flatMap((line) => ['--header', line]);

describe('hookline sign', () => {
  test('prints the headers of the request, one a line, and verify says that they are valid', async () => {
    const signed = await runHookline(['sign', ...hookline]);
    expect(signed).toEqual({ code: 0, stdout: expect.stringContaining(right) as string, stderr: '' });
    const verified = await runHookline(['verify', ...hookline, ...headerOptions(signed.stdout)]);
    expect(verified).toEqual({ code: 0, stdout: 'valid\n', stderr: '' });
  });

  test('prints them as JSON where it is asked to', async () => {
    const options = ['--scheme', 'standard-webhooks', '--secret', `whsec_${'A'.repeat(32)}`, '--id', 'msg_1', '--json'];
    const { stdout } = await runHookline(['sign', ...options, '--now', now, '--body-file', bodyFile]);
    expect(JSON.parse(stdout)).toEqual({
      'webhook-id': 'msg_1',
      'webhook-timestamp': now,
      'webhook-signature': expect.stringMatching(/^v1,/) as string,
    });
  });

  test('takes the time as it is, where none is given', async () => {
    const { stdout } = await runHookline(['sign', '--scheme', 'stripe', '--secret', 's', '--body-file', bodyFile]);
    const at = Number(/t=(\d+),/.exec(stdout)?.[1]);
    expect(Math.abs(at - Date.now() / 1000)).toBeLessThan(60);
    const { code } = await runHookline([
      ...['verify', '--scheme', 'stripe', '--secret', 's', '--body-file', bodyFile],
      ...headerOptions(stdout),
    ]);
    expect(code).toBe(0);
  });
});

describe('hookline verify', () => {
  // The signatures have tests of their own: here it is the options that are shown, one scheme for each.
  const shown = providerVectors.filter(({ scheme, source }) => scheme === 'slack' || source.includes('no form'));
  test.each(shown)('takes what $source has published', async (vector) => {
    const { scheme, secret, headers, settings = {}, query = '', atSeconds = Number(now) } = vector;
    const url = settings.public_url?.replace(/\?.*$/, query === '' ? '$&' : '') ?? '';
    const { stdout, code } = await runHookline(
      [
        ...['verify', '--scheme', scheme, '--secret', secret, '--now', String(atSeconds), '--body-file', '-'],
        ...(url === '' ? [] : ['--url', url + query]),
        ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
      ],
      { input: vector.body },
    );
    expect({ stdout, code }).toEqual({ stdout: 'valid\n', code: 0 });
  });

  const configured = schemeCases.filter(({ name }) => /id\.timestamp\.body|POST\+url|v1a$/.test(name));
  test.each(configured)('takes what $name is told, and sign makes the same', async (testCase) => {
    const { scheme, settings: { hmac, public_url: url } = {}, secrets } = testCase;
    const [secret] = secrets;
    const headers = testCase.headers({ secret, time: now, id: 'msg_1', body });
    const common = [
      '--scheme',
      scheme,
      ...(url === undefined ? [] : ['--url', url]),
      '--now',
      now,
      '--body-file',
      bodyFile,
    ];
    for (const [name, value] of Object.entries({ ...hmac })) common.push(`--hmac-${name.replace('_', '-')}`, value);
    const [verified, signed] = await Promise.all([
      runHookline([
        ...['verify', ...common, '--secret', ...heldSecrets(testCase, [secret])],
        ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}:${value}`]),
      ]),
      runHookline(['sign', ...common, '--secret', secret, '--id', 'msg_1']),
    ]);
    expect(verified).toEqual({ code: 0, stdout: 'valid\n', stderr: '' });
    const lines = signed.stdout.trimEnd().split('\n');
    const lowerCase = lines.map((line) => line.replace(/^[^:]+/, (name) => name.toLowerCase()));
    expect(lowerCase.sort()).toEqual(
      Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}`)
        .sort(),
    );
  });

  const signature = `${right}${'0'.repeat(64)}`;
  test.each([
    ['signature_missing', []],
    ['signature_malformed', ['--header', 'Hookline-Signature: v1=00']],
    ['signature_malformed', ['--header', signature, '--header', signature.toLowerCase()]],
    ['timestamp_out_of_tolerance', ['--header', signature.replace('1700000000', '1699999699')]],
    ['signature_invalid', ['--header', signature.replace('1700000000', '1699999699'), '--tolerance', '301']],
  ])('says %s and exits 1', async (code, options) => {
    expect(await runHookline(['verify', ...hookline, ...options])).toEqual({
      code: 1,
      stdout: `invalid: ${code}\n`,
      stderr: '',
    });
  });

  test('says the same as JSON', async () => {
    const { stdout } = await runHookline(['sign', ...hookline]);
    const valid = await runHookline(['verify', ...hookline, '--json', ...headerOptions(stdout)]);
    const invalid = await runHookline(['verify', ...hookline, '--json']);
    expect(JSON.parse(valid.stdout)).toEqual({ valid: true });
    expect(JSON.parse(invalid.stdout)).toEqual({ valid: false, code: 'signature_missing' });
    expect(invalid.code).toBe(1);
  });

  test('takes any of several secrets', async () => {
    const { stdout } = await runHookline(['sign', ...hookline]);
    const verified = await runHookline(['verify', ...hookline, '--secret', 'other', ...headerOptions(stdout)]);
    expect(verified.stdout).toBe('valid\n');
  });
});

describe.each([
  ['sign', sign],
  ['verify', verify],
])('a wrong call of hookline %s', (name, command) => {
  const without = (...names: string[]): string[] =>
    hookline.filter((_text, index) => !names.includes(hookline[index - (index % 2)] ?? ''));

  test.each([
    ['no scheme', without('--scheme'), /--scheme must be one of hookline, stripe/],
    ['another scheme', [...without('--scheme'), '--scheme', 'toString'], /--scheme must be one of/],
    ['no secret', without('--secret'), /missing --secret/],
    ['an empty secret', [...without('--secret'), '--secret', ''], /--secret must not be blank/],
    ['no body', without('--body-file'), /--body-file/],
    ['a file that is not there', [...without('--body-file'), '--body-file', '/no/such'], /no such file: \/no\/such/],
    ['a folder', [...without('--body-file'), '--body-file', folder], /EISDIR/],
    ['a time that is none', [...without('--now'), '--now', '1e9'], /--now must be a whole number/],
    ['an unknown option', [...hookline, '--sekret', 's'], /--sekret/],
    ['an option without its value', [...hookline, '--url'], /--url/],
    ['an argument too many', [...hookline, 'body.json'], /body\.json/],
    [
      'an adyen key that is no hex',
      ['--scheme', 'adyen', '--secret', 'x', '--body-file', bodyFile],
      /--secret must be/,
    ],
    ['square without a URL', ['--scheme', 'square', '--secret', 'x', '--body-file', bodyFile], /--url is required/],
    ['hmac alone', ['--scheme', 'hmac', '--secret', 'x', '--body-file', bodyFile], /--hmac is required/],
    [
      'half an hmac',
      ['--scheme', 'hmac', '--secret', 'x', '--hmac-signed', 'Body'],
      /--hmac-header must .*--hmac-signed must/,
    ],
  ])('%s is refused, and said', async (_what, options, message) => {
    await expect(runCommand([name, ...options], createOwnContext().context)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(message) as string,
    });
  });

  test('exits 2, and says so where errors are read', async () => {
    const { code, stdout, stderr } = await runHookline([name, ...without('--secret')]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/missing --secret/);
  });

  test('is helped by a text that names every scheme', () => {
    for (const scheme of sourceSchemes) expect(command.options.scheme?.help).toContain(scheme);
  });
});

test.each([
  ['a header that is none', 'verify', ['--header', 'no colon'], /'Name: value'/],
  ['a second secret to sign with', 'sign', ['--secret', 'second'], /--secret can be given once/],
  ['an id that can’t be sent', 'sign', ['--id', 'a b'], /--id must be/],
])('%s is refused, and said', async (_what, command, options, message) => {
  const refused = { exitCode: 2, message: expect.stringMatching(message) as string };
  await expect(runCommand([command, ...hookline, ...options], createOwnContext().context)).rejects.toMatchObject(
    refused,
  );
});

test('neither reads a file of the stack’s: they run in an empty environment', async () => {
  const env = { HOOKLINE_API_URL: 'no url at all' };
  expect((await runHookline(['sign', ...hookline], { env })).code).toBe(0);
});

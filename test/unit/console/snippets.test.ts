import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateSecret, signatureHeaders, signingSecret } from '#lib/signatures';
import { isThere, judgments, type SignedWebhook, snippetFolder } from './snippets/run-snippet.ts';

const secret = generateSecret();
const body = Buffer.from('{"id":9007199254740993,"name":"Zoë","amount":1.0}');
const nowSeconds = (): number => Math.floor(Date.now() / 1_000);

const signed = (more: { secrets?: readonly string[]; timestampSeconds?: number } = {}): SignedWebhook => {
  const { secrets = [secret], timestampSeconds = nowSeconds() } = more;
  const headers = signatureHeaders({
    secrets: secrets.map(signingSecret),
    id: 'evt_01m84xk2v4q9nd1m0e6e0kxv7t',
    timestampSeconds,
    body,
  });
  return { headers: { ...headers }, body, secret };
};

const withHeader = (name: string, value: string | undefined): SignedWebhook => {
  const { headers, ...rest } = signed();
  const all = { ...headers, [name]: value };
  return { ...rest, headers: Object.fromEntries(Object.entries(all).filter(([, one]) => one !== undefined)) as never };
};

const other = generateSecret();
const genuine: readonly SignedWebhook[] = [
  signed(),
  signed({ secrets: [other, secret] }),
  signed({ secrets: [secret, other] }),
  signed({ timestampSeconds: nowSeconds() - 100 }),
];
const forged: readonly SignedWebhook[] = [
  { ...signed(), body: Buffer.concat([body, Buffer.from(' ')]) },
  signed({ secrets: [other] }),
  signed({ timestampSeconds: nowSeconds() - 700 }),
];
/** Forgeries that `Hookline-Signature` does not have, and times to come, which the library of Stripe takes. */
const forgedStandard: readonly SignedWebhook[] = [
  signed({ timestampSeconds: nowSeconds() + 700 }),
  withHeader('webhook-id', 'evt_01m84xk2v4q9nd1m0e6e0kxv7u'),
  withHeader('webhook-id', undefined),
  withHeader('webhook-timestamp', String(nowSeconds() + 1)),
  withHeader('webhook-timestamp', 'soon'),
  withHeader('webhook-timestamp', undefined),
  withHeader('webhook-signature', undefined),
  withHeader('webhook-signature', ''),
  withHeader('webhook-signature', 'v1,'),
  withHeader('webhook-signature', 'v1,AAAA'),
  withHeader('webhook-signature', String(signed().headers['webhook-signature']).replace('v1,', 'v2,')),
];

const programs: Readonly<Record<string, string>> = { py: 'python3', go: 'go' };

test('each snippet is tried', () => {
  expect(Object.keys(judgments).sort()).toEqual(readdirSync(snippetFolder).sort());
});

describe.each(Object.entries(judgments))('%s', (file, judge) => {
  const program = programs[file.split('.').at(-1) ?? ''];
  const isMissing = program !== undefined && !isThere(program);
  if (isMissing) process.stderr.write(`${file} is not tried: skipped: no ${program}\n`);

  (isMissing ? test.skip : test)('takes what Hookline has signed, and nothing else', () => {
    const bad = file === 'with-stripe.mjs' ? forged : [...forged, ...forgedStandard];
    const verdicts = judge([...genuine, ...bad]);
    expect(verdicts).toEqual([...genuine.map(() => true), ...bad.map(() => false)]);
  });

  test('stands in docs/receiving-events.md as it was tried', () => {
    const page = readFileSync(join(snippetFolder, '../../../docs/receiving-events.md'), 'utf8');
    expect(page).toContain(readFileSync(join(snippetFolder, file), 'utf8'));
  });
});

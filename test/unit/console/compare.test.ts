import { lineDiff } from '../../../services/console/ui/diff.ts';
import { buildTestConsole } from '../../support/console/build-test-console.ts';
import { tenantToken } from '../../support/console/fake-api.ts';
import { gone, hostile } from '../../support/console/sample-events.ts';

const compare = (a: string, b: string) => `/t/acme/compare?a=${encodeURIComponent(a)}&b=${encodeURIComponent(b)}`;

const attempt = (number: number, more: object = {}) => ({
  attempt: number,
  at: '2026-01-01T12:00:00.000000Z',
  outcome: 'http_5xx',
  http_status: 500,
  detail: null,
  request: { method: 'POST', url: 'https://erp.example/', headers: { 'hookline-attempt': String(number) } },
  response_headers: { server: 'x' },
  response_excerpt: 'slow down',
  response_excerpt_encoding: 'text',
  ...more,
});

function given(payloads: Readonly<Record<string, string | Buffer>>) {
  const built = buildTestConsole();
  for (const [id, payload] of Object.entries(payloads))
    built.api.on(`GET /v1/events/${id}/payload`, {
      body: Buffer.from(payload),
      headers: { 'content-type': 'application/json' },
    });
  return built;
}

describe('comparing payloads', () => {
  test('shows the lines that differ', async () => {
    const { get } = given({
      evt_1: '{"a":1,"b":9007199254740993}',
      evt_2: `{"a":1,"b":9007199254740992,"c":"${hostile.replaceAll('"', '')}"}`,
    });
    const { statusCode, body } = await get(compare('evt_1', 'evt_2'), tenantToken);
    expect(statusCode).toBe(200);
    expect(body).toContain('1 line removed, 2 lines added');
    expect(body).toContain('<del>  &quot;b&quot;: 9007199254740993</del>');
    expect(body).toContain('<ins>  &quot;b&quot;: 9007199254740992,</ins>');
    expect(body).not.toMatch(/<script>|<img/);
    expect(body).toContain('href="/t/acme/compare?a=evt_2&amp;b=evt_1"');
  });

  test('says that they are equal, or that only whitespace differs', async () => {
    const { get } = given({ evt_1: '{"a":1}', evt_2: '{"a":1}', evt_3: '{ "a": 1 }', evt_4: '{"a":1.0}' });
    expect((await get(compare('evt_1', 'evt_2'), tenantToken)).body).toContain('the same, byte for byte (7 B)');
    expect((await get(compare('evt_1', 'evt_3'), tenantToken)).body).toContain(
      'only the whitespace between them differs',
    );
    expect((await get(compare('evt_1', 'evt_4'), tenantToken)).body).toContain('1 line removed, 1 line added');
  });

  test('compares bytes that are no text', async () => {
    const { get } = given({ evt_1: Buffer.from([0xff, 1]), evt_2: Buffer.from([0xff, 2]) });
    expect((await get(compare('evt_1', 'evt_2'), tenantToken)).body).toContain('<ins>00000000  ff 02');
  });

  test('is a 404 for an event that never was, and a 410 for a payload that is kept no longer', async () => {
    const { get, api } = given({ evt_1: '{}' });
    expect((await get(compare('evt_1', 'evt_2'), tenantToken)).statusCode).toBe(404);
    api.on('GET /v1/events/evt_2/payload', gone);
    expect((await get(compare('evt_1', 'evt_2'), tenantToken)).statusCode).toBe(410);
  });
});

describe('comparing attempts', () => {
  test('shows the lines of request and answer that differ', async () => {
    const { get, api } = buildTestConsole();
    api.on('GET /v1/deliveries/dlv_1/attempts', {
      body: [
        attempt(1),
        attempt(2, { http_status: 503 }),
        attempt(3, { request: null, response_headers: null, response_excerpt: null }),
      ],
    });
    const { statusCode, body } = await get(compare('dlv_1/1', 'dlv_1:2'), tenantToken);
    expect(statusCode).toBe(200);
    expect(body).toContain('<del>hookline-attempt: 1</del>');
    expect(body).toContain('<ins>outcome: http 5xx, status 503</ins>');
    expect((await get(compare('dlv_1/1', 'dlv_1/3'), tenantToken)).body).toContain('(nothing was sent)');
    expect((await get(compare('dlv_1/1', 'dlv_1.1'), tenantToken)).body).toContain('both attempts are the same');
    api.on('GET /v1/deliveries/dlv_1', { body: { id: 'dlv_1', attempts: 4 } });
    expect((await get(compare('dlv_1/1', 'dlv_1/9'), tenantToken)).statusCode).toBe(404);
    expect((await get(compare('dlv_1/1', 'dlv_1/4'), tenantToken)).statusCode).toBe(410);
    expect((await get(compare('dlv_1/1', 'dlv_2/1'), tenantToken)).statusCode).toBe(404);
  });
});

test.each([
  ['nothing', 'evt_1', 'a', 'must be the id of an event'],
  ['evt_1', '../evt_1', 'b', 'must be the id of an event'],
  ['evt_1', 'dlv_1/1', 'b', 'must be an event, too'],
  ['dlv_1/1', 'evt_1', 'b', 'must be an attempt, too'],
])('%s and %s are refused at the field, and kept', async (a, b, field, message) => {
  const { get } = buildTestConsole();
  const { statusCode, body } = await get(compare(a, b), tenantToken);
  expect(statusCode).toBe(400);
  expect(body).toContain(`id="field-${field}-error">${message}`);
  expect(body).toContain(`name="a"`);
  expect(body).toContain(`value="${a}"`);
});

test('without a second one is the form', async () => {
  const { get } = buildTestConsole();
  const { statusCode, body } = await get('/t/acme/compare?a=evt_1', tenantToken);
  expect(statusCode).toBe(200);
  expect(body).toContain('value="evt_1"');
});

describe('the difference of lines', () => {
  const kinds = (left: string, right: string): string =>
    lineDiff([...left], [...right])
      .map(({ kind, text }) => ({ same: ' ', removed: '-', added: '+' })[kind] + text)
      .join('');

  test.each([
    ['', '', ''],
    ['abc', 'abc', ' a b c'],
    ['', 'ab', '+a+b'],
    ['ab', '', '-a-b'],
    ['abcabba', 'cbabac', '-a-b c+b a b-b a+c'],
    ['axb', 'ayb', ' a-x+y b'],
  ])('of %j and %j is %j', (left, right, expected) => {
    expect(kinds(left, right)).toBe(expected);
  });

  test('has both texts in it, is the shortest, and numbers the lines', () => {
    for (let round = 0; round < 500; round += 1) {
      const some = () =>
        Array.from({ length: Math.floor(Math.random() * 12) }, () => 'abc'[Math.floor(Math.random() * 3)] ?? '');
      const [left, right] = [some(), some()];
      const lines = lineDiff(left, right);
      expect(lines.filter(({ kind }) => kind !== 'added').map(({ text }) => text)).toEqual(left);
      expect(lines.filter(({ kind }) => kind !== 'removed').map(({ text }) => text)).toEqual(right);
      expect(lines.filter(({ kind }) => kind === 'same')).toHaveLength(longestCommon(left, right));
      for (const line of lines) {
        if (line.left !== undefined) expect(left[line.left - 1]).toBe(line.text);
        if (line.right !== undefined) expect(right[line.right - 1]).toBe(line.text);
      }
    }
  });

  test('of texts that have nothing in common ends soon', () => {
    const left = Array.from({ length: 20_000 }, (_, index) => `left ${index}`);
    const right = Array.from({ length: 20_000 }, (_, index) => `right ${index}`);
    expect(lineDiff(left, right)).toHaveLength(40_000);
  });
});

function longestCommon(left: readonly string[], right: readonly string[]): number {
  let row = right.map(() => 0);
  for (const one of left) {
    const next: number[] = [];
    right.forEach((other, at) =>
      next.push(one === other ? (row[at - 1] ?? 0) + 1 : Math.max(row[at] ?? 0, next[at - 1] ?? 0)),
    );
    row = next;
  }
  return row.at(-1) ?? 0;
}

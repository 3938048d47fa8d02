import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runHookline } from '../../support/run-hookline.ts';
import { startFakeApi } from './fake-api.ts';

const folder = mkdtempSync(join(tmpdir(), 'hookline-event-types-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function run(args: readonly string[], body: object, status = 200) {
  const api = await startFakeApi(() => ({ status, body }));
  try {
    return { ...(await runHookline(['types', ...args], { env: api.env })), asked: api.asked };
  } finally {
    await api.stop();
  }
}

test.each([
  [['show', 'invoice.paid'], 'GET', '/v1/event-types/invoice.paid'],
  [['show', 'Push Hook'], 'GET', '/v1/event-types/Push%20Hook'],
  [['show', 'orders/create'], 'GET', '/v1/event-types/-?name=orders%2Fcreate'],
  [['rename', 'orders/create', '--to', 'x'], 'POST', '/v1/event-types/-/rename?name=orders%2Fcreate'],
  [['retire', '50 % off?#'], 'DELETE', '/v1/event-types/-?name=50%20%25%20off%3F%23'],
])('%j asks for %s %s, which every proxy passes on', async (args, method, path) => {
  const { asked, code, stderr } = await run(args, { name: 'x', status: 'active' });
  expect([stderr, code, asked.map((one) => [one.method, one.path])]).toEqual(['', 0, [[method, path]]]);
});

test('a former name is told apart from a type that is not there, with the name that it has now', async () => {
  const alias = { name: 'invoice.payed', kind: 'renamed', target: 'invoice.paid' };
  const { code, stderr } = await run(['show', 'invoice.payed'], alias, 301);
  expect([stderr, code]).toEqual(['hookline: invoice.payed is an alias of invoice.paid: name that one\n', 1]);
  const forPrograms = await run(['show', 'invoice.payed', '--json'], alias, 301);
  expect(JSON.parse(forPrograms.stderr)).toEqual(alias);
});

test('an export is one document, put together from all that the API sends, in turns of 200 types', async () => {
  const names = Array.from({ length: 450 }, (_, n) => `type.${String(n).padStart(3, '0')}`);
  const api = await startFakeApi(({ path }) => {
    const query = new URL(path, 'http://api.test').searchParams;
    const from = names.indexOf(query.get('cursor') ?? '') + 1;
    const shown = names.slice(from, from + Number(query.get('limit')));
    query.set('cursor', shown.at(-1) ?? '');
    const isLast = from + shown.length >= names.length;
    return {
      status: 200,
      ...(!isLast && { headers: { link: `<http://api.test/v1/event-types/export?${query.toString()}>; rel="next"` } }),
      body: { openapi: '3.1.0', webhooks: Object.fromEntries(shown.map((name) => [name, { post: { n: name } }])) },
    };
  });
  try {
    for (const [args, limits, count] of [
      [[], ['200', '200', '200'], 450],
      [['--limit', '250', '--group', 'type'], ['200', '200'], 250],
      [['--limit', '3'], ['3'], 3],
    ] as const) {
      api.asked.length = 0;
      const { code, stdout, stderr } = await runHookline(['types', 'export', ...args], { env: api.env });
      expect([stderr, code]).toEqual(['', 0]);
      const document = JSON.parse(stdout) as { openapi: string; webhooks: Record<string, unknown> };
      expect(document.openapi).toBe('3.1.0');
      expect(Object.keys(document.webhooks)).toEqual(names.slice(0, count));
      const asked = api.asked.map(({ path }) => new URL(path, 'http://api.test').searchParams);
      expect(asked.map((query) => query.get('limit'))).toEqual(limits);
      expect(new Set(asked.map((query) => query.get('group')))).toEqual(new Set([args.length > 2 ? 'type' : null]));
    }
  } finally {
    await api.stop();
  }
});

test('an import names what was left out, and exits 1 if types were', async () => {
  const file = join(folder, 'document.json');
  writeFileSync(file, '{"a":true}');
  const report = { dry_run: false, created: ['Push Hook', 'a'], changed: [], unchanged: [] };
  const leftOut = [{ name: 'a', part: 'example', reason: '/example must be string' }];
  const some = await run(['import', file], { ...report, refused: [], left_out: leftOut });
  expect([some.code, some.stdout]).toEqual([0, expect.stringMatching(/^created +Push Hook, a$/m)]);
  expect(some.stdout).toMatch(/^left out a: example +\/example must be string$/m);
  expect(some.asked).toMatchObject([{ body: { document: { a: true } } }]);
  const refused = [{ name: 'search', reason: 'is reserved' }];
  const strict = await run(['import', file, '--strict'], { ...report, refused, left_out: [] });
  expect([strict.code, strict.asked]).toMatchObject([1, [{ body: { strict: true } }]]);
});

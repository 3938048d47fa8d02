import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runHookline } from '../../support/run-hookline.ts';
import { startFakeApi } from './fake-api.ts';

const folder = mkdtempSync(join(tmpdir(), 'hookline-event-types-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function run(args: readonly string[], body: object) {
  const api = await startFakeApi(() => ({ status: 200, body }));
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

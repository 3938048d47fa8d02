/** The rest of sources, endpoints and keys once nothing can be judged by their past; the time is given to the retention. */
import { matchedWithinDays, topicDefinitions } from '#lib/contract';
import type { Postgres } from '#lib/postgres';
import { formatMicros } from '#lib/runtime';
import { closePostgres, openDatabase } from './projection.ts';
import { day, firstDay, retentionOver } from './retained.ts';

let postgres: Postgres;
beforeEach(async () => {
  postgres = await openDatabase(4);
});
afterEach(() => closePostgres(postgres));

const now = firstDay + 100 * day;
const daysAgo = (days: number): string => formatMicros(now - days * day);

const insert: Record<string, string> = {
  sources: `INSERT INTO sources (tenant, id, name, scheme, secrets, settings, deleted_at) VALUES ('t', $1, 'name', 'hookline', 'sealed', '{"a":1}', $2)`,
  endpoints: `INSERT INTO endpoints (tenant, id, url, secrets, event_types, deleted_at) VALUES ('t', $1, 'https://r.test', 'sealed', '{a}', $2)`,
  api_keys: `INSERT INTO api_keys (tenant, id, name, scopes, hash, deleted_at) VALUES ('t', $1, 'name', '{read}', 'hash', $2)`,
};

test.each(Object.keys(insert))(
  'of deleted %s the id is left for ever, and nothing else once it is old',
  async (table) => {
    const rows = [
      ['live', null],
      ['young', daysAgo(matchedWithinDays - 1)],
      ['old', daysAgo(matchedWithinDays + 1)],
    ] as const;
    for (const row of rows) await postgres.query(insert[table] ?? '', row);
    const { runAt } = retentionOver(postgres);
    expect(await runAt(now)).toBe(true);
    const kept = await postgres.query<{ id: string; buried: boolean; deleted_at: string | null; all: string }>(
      `SELECT id, buried, deleted_at, ${table}::text AS all FROM ${table} ORDER BY id`,
    );
    expect(kept.map(({ id, buried, deleted_at }) => [id, buried, deleted_at])).toEqual([
      ['live', false, null],
      ['old', true, daysAgo(matchedWithinDays + 1)],
      ['young', false, daysAgo(matchedWithinDays - 1)],
    ]);
    const hex = (text: string): string => Buffer.from(text).toString('hex');
    for (const secret of ['name', 'https', hex('sealed'), hex('hash'), '"a"'])
      expect(kept[1]?.all).not.toContain(secret);
    expect(kept[2]?.all).toMatch(/name|https/);
    // Again, and nothing is left to do.
    expect(await runAt(now)).toBe(true);
  },
);

test('an endpoint’s earlier subscription is kept as long as an event of that time can be judged, however often it changed', async () => {
  const entry = (days: number) => ({
    until: daysAgo(days),
    open: true,
    event_types: [`until.${days}`],
    source_ids: [],
    filter: null,
  });
  const young = Array.from({ length: 150 }, (_, index) => entry(matchedWithinDays - 1 - index / 10));
  const history = [entry(90), entry(matchedWithinDays + 1), ...young];
  await postgres.query(
    `INSERT INTO endpoints (tenant, id, url, secrets, history) VALUES ('t', 'changed', '', '', $1), ('t', 'still', '', '', '[]')`,
    [JSON.stringify(history)],
  );
  const read = () =>
    postgres.query<{ history: object[]; history_revision: number; history_bytes: number; bytes: number }>(
      `SELECT history, history_revision, history_bytes, bytes FROM endpoints WHERE id = 'changed'`,
    );
  const [before] = await read();
  const { runAt } = retentionOver(postgres);
  expect(await runAt(now)).toBe(true);
  const [after] = await read();
  expect(after?.history).toEqual(young);
  expect(after?.history_revision).toBe(before!.history_revision + 1);
  expect(after!.bytes).toBe(before!.bytes + after!.history_bytes - before!.history_bytes);
  // A change by people drops nothing either.
  await postgres.query(`UPDATE endpoints SET event_types = '{now}', revision = revision + 1 WHERE id = 'changed'`);
  expect((await read())[0]?.history).toHaveLength(151);
  expect(await runAt(now)).toBe(true);
  expect((await read())[0]?.history).toHaveLength(151);
});

test('an event that waits to be published since long keeps what it is judged by', async () => {
  const until = (days: number) => ({ until: daysAgo(days), open: true, event_types: [], source_ids: [], filter: null });
  await postgres.query(`INSERT INTO endpoints (tenant, id, url, secrets, history) VALUES ('t', 'e', '', '', $1)`, [
    JSON.stringify([until(60), until(45)]),
  ]);
  await postgres.query(`INSERT INTO outbox (tenant, event_id, created_at) VALUES ('t', 'evt', $1)`, [daysAgo(50)]);
  const { runAt } = retentionOver(postgres);
  expect(await runAt(now)).toBe(true);
  const [row] = await postgres.query<{ history: object[] }>('SELECT history FROM endpoints');
  expect(row?.history).toEqual([until(45)]);
});

test('the topics’ retention is within the time that events may be judged after their receipt', () => {
  const segmentDays = 7;
  const daysOf = (topic: string): number =>
    Number(
      topicDefinitions({ topicPrefix: '', partitions: 1, replicationFactor: 1 }).find(({ name }) => name === topic)
        ?.config?.['retention.ms'],
    ) /
      86_400_000 +
    segmentDays;
  expect(daysOf('webhooks.received') + daysOf('events')).toBeLessThan(matchedWithinDays);
});

test('the audit is kept for 400 days, and a session for a day after its latest end', async () => {
  const { runAt } = retentionOver(postgres);
  const many = 2_500;
  await postgres.query(
    `INSERT INTO audit (tenant, id, at, credential, action, resource_id, request_id)
     SELECT 't' || n % 3, 'aud_' || n, $1::timestamptz + n * interval '1 second', 'admin', 'source.create', 'src', 'req'
       FROM generate_series(0, $2::int - 1) AS n`,
    [daysAgo(401), many],
  );
  const kept = [daysAgo(399), daysAgo(0)];
  for (const [index, at] of kept.entries())
    await postgres.query(
      `INSERT INTO audit (tenant, id, at, credential, action, resource_id, request_id)
       VALUES ('t0', $1, $2, 'key', 'a.b', 'r', 'q')`,
      [`aud_kept${index}`, at],
    );
  const ends = [daysAgo(2), daysAgo(0.5), daysAgo(-0.25)];
  for (const [index, at] of ends.entries())
    await postgres.query(
      `INSERT INTO sessions (tenant, id, key_id, scopes, created_at, expires_at, idle_expires_at, changed_at)
       VALUES ('t', $1, 'key', '{read}', $2, $2, $2, $2)`,
      [`ses_${index}`, at],
    );
  expect(await runAt(now)).toBe(true);
  expect((await postgres.query<{ at: string }>('SELECT at FROM audit ORDER BY at')).map(({ at }) => at)).toEqual(kept);
  const sessions = await postgres.query<{ id: string }>('SELECT id FROM sessions ORDER BY id');
  expect(sessions.map(({ id }) => id)).toEqual(['ses_1', 'ses_2']);
});

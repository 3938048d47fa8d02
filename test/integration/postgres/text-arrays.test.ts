/** Arrays of text come back from a real server as they were written. */
import { createPostgres, type Postgres } from '#lib/postgres';
import { silentLogger } from '#lib/runtime';
import { seededRandom } from '../../support/seeded-random.ts';
import { createDatabase } from '../../support/servers.ts';

let postgres: Postgres;
beforeAll(async () => {
  const url = await createDatabase();
  postgres = createPostgres({
    url,
    applicationName: 'text-arrays',
    maxConnections: 1,
    statementTimeoutMs: 5_000,
    log: silentLogger,
  });
  await postgres.start();
});
afterAll(() => postgres.stop());

const elements = [
  ...['order.paid', 'ep_1', 'ü', 'a b', '', ' ', 'a,b', '{', '}', '{}', '"', '\\', '\\"', '\t', '\n', "'", '\u00a0'],
  ...['null', 'NULL', 'NULLS', 'nullable', null],
];

test('whatever is in them', async () => {
  const random = seededRandom(20_261_127);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const arrays = [
    [],
    ...elements.map((element) => [element]),
    ...Array.from({ length: 500 }, () => Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(elements))),
  ];
  for (const given of arrays) {
    const [row] = await postgres.query<{ read: string[] }>('SELECT $1::text[] AS read', [given]);
    expect(row?.read).toEqual(given);
  }
});

test.each([
  [
    '{{a,b},{c,d}}',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  ['{{a},{NULL}}', [['a'], [null]]],
  ['[2:3]={a,b}', ['a', 'b']],
])('of two dimensions, or with bounds of its own: %s', async (written, read) => {
  expect(await postgres.query('SELECT $1::text[] AS read', [written])).toEqual([{ read }]);
});

import type { Postgres } from '#lib/postgres';
import type { KafkaOffsets } from '../../support/kafka-offsets.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** Row versions that were inserted, updated or removed, by table; records, by topic. */
export type Writes = Readonly<Record<string, number>>;

/** A connection that does nothing tells the server's counts after ten seconds. */
const settledForMs = 11_000;
const timeoutMs = 120_000;

/** Resolves with the writes so far, once nothing is written any more. */
export async function settledWrites(
  postgres: Postgres,
  offsets: KafkaOffsets,
  topics: readonly string[],
): Promise<Writes> {
  let last = await writesSoFar(postgres, offsets, topics);
  let sinceMs = performance.now();
  await waitUntil(
    'nothing is written any more',
    async () => {
      const now = await writesSoFar(postgres, offsets, topics);
      if (Object.entries(now).some(([name, count]) => last[name] !== count)) sinceMs = performance.now();
      last = now;
      return performance.now() - sinceMs >= settledForMs;
    },
    { timeoutMs, everyMs: 250, describe: () => JSON.stringify(last) },
  );
  return last;
}

async function writesSoFar(postgres: Postgres, offsets: KafkaOffsets, topics: readonly string[]): Promise<Writes> {
  // Partitions of a table count as the table. The heartbeats of processes go on for ever.
  const rows = await postgres.query<{ name: string; inserted: string; updated: string; removed: string }>(
    `SELECT coalesce(p.inhparent::regclass::text, s.relname) AS name,
            sum(n_tup_ins) AS inserted, sum(n_tup_upd) AS updated, sum(n_tup_del) AS removed
       FROM pg_stat_user_tables s
       LEFT JOIN pg_inherits p ON p.inhrelid = s.relid
      WHERE s.relname <> 'processes'
      GROUP BY 1`,
  );
  const byTable = rows.flatMap(({ name, inserted, updated, removed }) => [
    [`${name} inserted`, Number(inserted)] as const,
    [`${name} updated`, Number(updated)] as const,
    [`${name} removed`, Number(removed)] as const,
  ]);
  const ends = await Promise.all(
    topics.map(async (topic) => {
      const all = Object.values(await offsets.ends([topic]));
      return [`records on ${topic}`, all.reduce((sum, end) => sum + end, 0)] as const;
    }),
  );
  return Object.fromEntries([...byTable, ...ends]);
}

/** For each kind of write: how many there were for each of so many retries. */
export function perRetry(before: Writes, after: Writes, retries: number): Writes {
  const differences = Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)] as const);
  return Object.fromEntries(
    differences
      .filter(([, count]) => count > 0)
      .map(([name, count]) => [name, Math.round((count / retries) * 1e3) / 1e3]),
  );
}

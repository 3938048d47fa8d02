import { createWorld } from '../../integration/dedup/world.ts';
import { withDatabase } from '../../support/with-database.ts';
import { namesOf, runDedup, writeAll } from '../dedup/run-dedup.ts';
import type { Cost } from './growth-bench.ts';

/** The cost of a record in dedup, with so many webhooks waiting for it; all its processes together. */
export async function costOfDedup(
  records: number,
  { turn, bytes, partitions, processes = 1, knownRows = 0 }: Options,
): Promise<Cost> {
  const world = await createWorld({ partitions, keepsOutcomes: false });
  try {
    await insertKeys(world.databaseUrl, knownRows);
    const names = namesOf(records, turn);
    await writeAll(world, names, bytes);
    const { processorSeconds, records: worked, calls } = await runDedup(world, { records, processes });
    const { events, duplicates } = await world.ends();
    const distinct = new Set(names).size;
    if (events !== distinct || duplicates !== records - distinct)
      throw new Error(`of ${records} records ${events} events and ${duplicates} duplicates came`);
    const counted = `of Kafka ${calls.produce} produce requests, of Redis ${calls.redis} calls, of Postgres ${calls.postgres} statements`;
    return { each: (processorSeconds * 1e6) / worked, counted };
  } finally {
    await world.stopServices();
    await world.stop();
  }
}

interface Options {
  turn: number;
  bytes: number;
  partitions: number;
  processes?: number;
  /** In the table of keys, before the first of these webhooks. */
  knownRows?: number;
}

const insertKeys = (databaseUrl: string, rows: number): Promise<void> =>
  withDatabase(databaseUrl, async (postgres) => {
    await postgres.query(
      `INSERT INTO dedup_keys (tenant, key, event_id, body_hash, expires_at)
       SELECT 'default', decode(md5(n::text), 'hex'), 'evt_known' || n, decode('0011223344556677', 'hex'), now() + interval '72 hours'
         FROM generate_series(1, $1) AS n`,
      [rows],
    );
    await postgres.query('ANALYZE dedup_keys');
  });

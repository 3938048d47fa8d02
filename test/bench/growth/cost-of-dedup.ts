import { createWorld } from '../../integration/dedup/world.ts';
import { namesOf, runDedup, writeAll } from '../dedup/run-dedup.ts';
import { withDatabase } from './with-database.ts';

/** What one dedup process spends on a record, of so many webhooks that wait for it. */
export async function costOfDedup(
  records: number,
  { turn, bytes, partitions, knownRows = 0 }: Options,
): Promise<number> {
  const world = await createWorld({ partitions, keepsOutcomes: false });
  try {
    await insertKeys(world.databaseUrl, knownRows);
    const names = namesOf(records, turn);
    await writeAll(world, names, bytes);
    const { processorSeconds, records: worked } = await runDedup(world, { records, profileFile: '' });
    const { events, duplicates } = await world.ends();
    const distinct = new Set(names).size;
    if (events !== distinct || duplicates !== records - distinct)
      throw new Error(`of ${records} records ${events} events and ${duplicates} duplicates came`);
    return (processorSeconds * 1e6) / worked;
  } finally {
    await world.stopServices();
    await world.stop();
  }
}

interface Options {
  turn: number;
  bytes: number;
  partitions: number;
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

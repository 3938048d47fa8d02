import { setTimeout as delay } from 'node:timers/promises';
import { freePorts } from '#deploy/local/stack/free-ports.ts';
import { createWorld, type World } from '../../integration/dispatcher/world.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { withDatabase } from '../../support/with-database.ts';
import { adminKey, authorization } from '../longpoll/keys.ts';
import { processorSeconds, processorSecondsOfFamily } from '../support/processor-seconds.ts';
import { serverPids } from '../support/server-pids.ts';
import { growthBench } from './growth-bench.ts';

const firstAt = Date.UTC(2026, 0, 1);
const betweenEventsMs = 1;
const atOnce = 8;
const countedWithinMs = 11_000;

/** Polls from anywhere in the list, by time, as a client does that has fallen behind, and at its end, as most do. */
export const pollingBench = growthBench({
  name: 'polling',
  of: 'events',
  unit: 'µs of api and Postgres a poll',
  small: 10_000,
  between: [100_000, 1_000_000],
  large: 10_000_000,
  turns: 2,
  numbers: { polls: 2_000, limit: 100 },
  setUp: 'one api process; half of the polls from anywhere by updated_at_gte, half from the last events on',
  begin: async ({ polls, limit }) => ({
    async costAt(events, turn) {
      const world = await createWorld(`polling-${turn}`);
      try {
        await insertEvents(world, events);
        const [port = 0] = await freePorts(1);
        const api = await world.spawnService('api', {
          HOOKLINE_ADMIN_KEY: adminKey,
          HOOKLINE_API_PORT: String(port),
          HOOKLINE_LOG_LEVEL: 'warn',
        });
        await api.ready(30_000);
        const spent = () => ({
          api: processorSeconds(api.pid),
          postgres: processorSecondsOfFamily(serverPids().postgres),
        });
        const random = seededRandom(turn);
        const poll = (): Promise<void> => pollFrom(port, random() < 0.5 ? random() * events : events - limit, limit);
        for (let warmUp = 0; warmUp < polls; warmUp += atOnce) await Promise.all(Array.from({ length: atOnce }, poll));
        const blocksBefore = await blocksOf(world);
        const before = spent();
        for (let made = 0; made < polls; made += atOnce) await Promise.all(Array.from({ length: atOnce }, poll));
        const after = spent();
        const blocksAfter = await blocksOf(world);
        const ofApi = ((after.api - before.api) * 1e6) / polls;
        const ofPostgres = ((after.postgres - before.postgres) * 1e6) / polls;
        const [found, read] = [blocksAfter.found - blocksBefore.found, blocksAfter.read - blocksBefore.read];
        return {
          each: ofApi + ofPostgres,
          counted:
            `api ${ofApi.toFixed()}, Postgres ${ofPostgres.toFixed()}; ` +
            `a poll finds ${(found / polls).toFixed(1)} blocks in Postgres’s buffers and reads ${(read / polls).toFixed(1)} into them`,
        };
      } finally {
        await world.stop();
      }
    },
    end: async () => undefined,
  }),
});

const timeOf = (event: number): string => new Date(firstAt + Math.floor(event) * betweenEventsMs).toISOString();

/** @throws Error where other events come than there are from then on */
async function pollFrom(port: number, event: number, limit: number): Promise<void> {
  const since = timeOf(event);
  const answer = await fetch(`http://127.0.0.1:${port}/v1/events?updated_at_gte=${since}&limit=${limit}`, {
    headers: { authorization, 'hookline-tenant': 'acme' },
  });
  const events = (await answer.json()) as { updated_at: string }[];
  const [first] = events;
  if (answer.status !== 200 || first === undefined || first.updated_at.slice(0, 23) < since.slice(0, 23))
    throw new Error(
      `a poll from ${since}: ${answer.status}, ${events.length} events, the first of ${first?.updated_at}`,
    );
}

/** Blocks of its database so far: found in shared buffers, and read from disk. */
const blocksOf = ({ databaseUrl }: World): Promise<{ found: number; read: number }> =>
  withDatabase(databaseUrl, async (postgres) => {
    // A session hands in what it has counted once a second while it works, and the rest after ten seconds at rest.
    await delay(countedWithinMs);
    const [row] = await postgres.query<{ found: string; read: string }>(
      'SELECT blks_hit AS found, blks_read AS read FROM pg_stat_database WHERE datname = current_database()',
    );
    return { found: Number(row?.found), read: Number(row?.read) };
  });

const insertEvents = ({ databaseUrl }: World, count: number): Promise<void> =>
  withDatabase(databaseUrl, async (postgres) => {
    await postgres.query(
      `INSERT INTO events (tenant, id, source_id, type, receipt_id, origin, dedup_key, status, received_at, updated_at, delivered)
       SELECT 'acme', 'evt_' || lpad(n::text, 10, '0'), 'src_' || n % 100, 'type.' || n % 50, 'rcp_' || n, 'received-0-' || n,
              decode(md5(n::text), 'hex'), 'completed', at, at, 1
         FROM (SELECT n, $2::timestamptz + n * interval '1 millisecond' AS at FROM generate_series(0, $1 - 1) AS n) AS made`,
      [count, timeOf(0)],
    );
    await postgres.query('ANALYZE events');
  });

/**
 * Measures the cost of a dedup key: bytes of Redis's memory and of Postgres's disk, measured on servers of its own by the code that writes
 * them.
 *
 *   npm run -s dedup-memory            100,000 and 1,000,000 rows, some two minutes
 *   npm run -s dedup-memory -- 100000  these alone
 *   npm run -s dedup-memory -- --record  keeps the result for docs/evidence.md
 *
 * With HOOKLINE_TEST_SERVERS, on the Postgres of that set.
 */
import { randomBytes } from 'node:crypto';
import { cpus, release } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Candidate,
  type CompletedKey,
  createPostgresKeyTable,
  createRedisKeyMemory,
  eventIdOf,
} from '#lib/dedup-store';
import { createPostgres, type Postgres } from '#lib/postgres';
import { createRedis } from '#lib/redis';
import { silentLogger, systemClock } from '#lib/runtime';
import { type OwnRedis, startOwnRedis } from '../integration/dedup/redis-server.ts';
import { createEvidenceRecorder } from '../evidence/evidence.ts';
import { createDatabase } from '../support/servers.ts';
import { holdServers } from '../support/start-servers.ts';

const keysInRedis = [70_000, 100_000, 131_000, 200_000];
const defaultRows = [100_000, 1_000_000];
const batch = 500;
const ttlSeconds = 72 * 3600;
const rates = [100, 1_000, 10_000];
/** HOOKLINE_DEDUP_KEEP_EXPIRED_SECONDS: the default, and the least that is allowed. */
const keptSeconds = [8 * 24 * 3600, 3600];

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(bytes < 1e10 ? 1 : 0)} GB`;

function candidates(from: number, count: number): Candidate[] {
  return Array.from({ length: count }, (_, index) => {
    const at = from + index;
    const record = {
      tenant: 'default',
      sourceId: 'src_01kdvdna006rpr3266cqy5ba3m',
      origin: `hookline.webhooks.received-${at % 12}-${1_000_000 + at}`,
      receiptId: `rcp_${at}`,
      receivedAt: Date.now() * 1000 + index,
    };
    const { tenant, origin, receivedAt } = record;
    return {
      tenant,
      origin,
      receivedAt,
      ttlSeconds,
      key: randomBytes(16),
      bodyHash: randomBytes(8),
      eventId: eventIdOf(record),
    };
  });
}

async function measureRedis(server: OwnRedis): Promise<number> {
  const redis = createRedis({
    url: server.url,
    name: 'bench',
    clock: systemClock,
    log: silentLogger,
    timeLimitMs: 5_000,
  });
  await redis.start();
  const memory = createRedisKeyMemory(redis, 'hookline.');
  const info = (section: string): Promise<string> => server.command('INFO', section);
  const used = async (): Promise<number> => Number(/^used_memory:(\d+)/m.exec(await info('memory'))?.[1]);
  console.log(
    `Redis ${/^redis_version:(\S+)/m.exec(await info('server'))?.[1]}, ${/^mem_allocator:(\S+)/m.exec(await info('memory'))?.[1]}`,
  );
  // The scripts and the connection don't count as memory of keys.
  await memory.recall([randomBytes(16)]);
  const before = await used();
  let known = 0;
  let worst = 0;
  for (const count of keysInRedis) {
    while (known < count) {
      const completed: CompletedKey[] = candidates(known, Math.min(batch, count - known)).map(
        ({ key, eventId, bodyHash }) => ({
          key,
          eventId,
          bodyHash,
          expiresAt: (Date.now() + ttlSeconds * 1000) * 1000,
        }),
      );
      await memory.remember(completed);
      known += completed.length;
    }
    // Tables that double are moved bit by bit, and are both there until then.
    await untilStable(used);
    const perKey = ((await used()) - before) / count;
    worst = Math.max(worst, perKey);
    console.log(`  ${String(count).padStart(9)} keys   ${perKey.toFixed(1)} bytes a key`);
  }
  await redis.stop();
  return worst;
}

async function untilStable(read: () => Promise<number>): Promise<void> {
  for (let before = -1, now = await read(); now !== before; now = await read()) {
    before = now;
    await delay(1_000);
  }
}

async function measurePostgres(postgres: Postgres, counts: readonly number[]): Promise<number> {
  const [server] = await postgres.query<{ version: string }>("SELECT current_setting('server_version') AS version");
  console.log(`Postgres ${server?.version}: each row inserted and completed, ${batch} at once, autovacuum as it is`);
  const table = createPostgresKeyTable(postgres);
  let known = 0;
  let perRow = 0;
  for (const count of counts) {
    while (known < count) {
      const rows = candidates(known, Math.min(batch, count - known));
      await table.insert(rows);
      await table.complete(rows);
      known += rows.length;
    }
    perRow = await report(postgres, count, 'as written');
  }
  // Removes old row versions, and rewrites the table without gaps.
  await postgres.query('VACUUM FULL dedup_keys');
  await report(postgres, known, 'without a gap');
  return perRow;
}

async function report(postgres: Postgres, rows: number, how: string): Promise<number> {
  const [size] = await postgres.query<{ total: string; indexes: string }>(
    "SELECT pg_total_relation_size('dedup_keys') AS total, pg_indexes_size('dedup_keys') AS indexes",
  );
  const [total, indexes] = [Number(size?.total) / rows, Number(size?.indexes) / rows];
  console.log(
    `  ${String(rows).padStart(9)} rows   ${total.toFixed(0)} bytes a row, ${indexes.toFixed(0)} of them in indexes, ${how}`,
  );
  return total;
}

const { values, positionals } = parseArgs({
  options: { record: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const record = createEvidenceRecorder('dedup-memory', values.record);
const counts = positionals.length > 0 ? positionals.map(Number) : defaultRows;
const held =
  process.env.HOOKLINE_TEST_SERVERS === undefined ? holdServers(join(import.meta.dirname, '../..')) : undefined;
if (held !== undefined) process.env.HOOKLINE_TEST_SERVERS = await held.file;
const server = await startOwnRedis();
try {
  console.log(`${cpus().length} × ${cpus()[0]?.model}, Linux ${release()}, Node ${process.version}`);
  const perKey = await measureRedis(server);
  const postgres = createPostgres({
    url: await createDatabase(),
    applicationName: 'bench',
    maxConnections: 1,
    statementTimeoutMs: 600_000,
    log: silentLogger,
  });
  await postgres.start();
  const perRow = await measurePostgres(postgres, counts);
  await postgres.stop();
  record(`${perKey.toFixed(0)} bytes of Redis a key, ${perRow.toFixed(0)} of Postgres a row`);
  console.log(`\nwebhooks a second, each of its own key, remembered for ${ttlSeconds / 3600} hours`);
  for (const rate of rates) {
    const disk = keptSeconds.map((kept) => {
      const days = kept % 86_400 === 0 ? `${kept / 86_400} days` : `${kept / 3600} h`;
      return `Postgres ${gigabytes(rate * (ttlSeconds + kept) * perRow)} (expired rows kept ${days})`;
    });
    console.log(`  ${String(rate).padStart(6)}   Redis ${gigabytes(rate * ttlSeconds * perKey)}   ${disk.join('   ')}`);
  }
} finally {
  await server.stop();
  held?.holder.stdin?.end();
}

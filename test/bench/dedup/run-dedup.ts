/** Dedup processes that find webhooks on their topic, a fifth of them repetitions, and accept them all. */
import type { World } from '../../integration/dedup/world.ts';
import { sumOfMetric } from '../../support/read-counters.ts';
import { processorSeconds } from '../support/processor-seconds.ts';
import { profilingInto } from '../support/profiling-into.ts';

/** Every fifth webhook repeats one that was sent so many webhooks ago. */
const [every, ago] = [5, 2_000];
const writtenAtOnce = 2_000;
const commitTimeoutMs = 1_800_000;

/** @param turn no two have a name in common */
export const namesOf = (count: number, turn: number): string[] =>
  Array.from({ length: count }, (_, n) => `webhook-${turn}-${n % every === 0 && n >= ago ? n - ago + 1 : n}`);

export async function writeAll(world: World, names: readonly string[], bytes: number): Promise<void> {
  for (let start = 0; start < names.length; start += writtenAtOnce)
    await world.receive(names.slice(start, start + writtenAtOnce).map((id) => ({ id, body: bodyOf(id, bytes) })));
}

function bodyOf(id: string, bytes: number): string {
  const short = JSON.stringify({ id, type: 'order.updated', padding: '' });
  return short.replace('""', `"${'x'.repeat(Math.max(0, bytes - short.length))}"`);
}

interface Options {
  records: number;
  /** The file for the first process's profile. Default: none. */
  profileFile?: string;
  /** Default: one. */
  processes?: number;
}

/** From when all are ready until the last record is committed. */
export async function runDedup(world: World, { records, profileFile, processes = 1 }: Options): Promise<TurnOfDedup> {
  const running = await Promise.all(
    Array.from({ length: processes }, (_, n) =>
      world.spawn(n === 0 && profileFile !== undefined ? profilingInto(profileFile) : {}),
    ),
  );
  const spent = (): number => running.reduce((sum, { pid }) => sum + processorSeconds(pid), 0);
  const callsOf = async (metric: string): Promise<number> => {
    const each = await Promise.all(running.map(({ adminUrl }) => sumOfMetric(`${adminUrl}/metrics`, metric)));
    return each.reduce((sum, calls) => sum + calls, 0);
  };
  await Promise.all(running.map((dedup) => dedup.ready(60_000)));
  const before = spent();
  const startMs = performance.now();
  const atReady = await world.ends();
  await world.committed({ timeoutMs: commitTimeoutMs });
  const turn = {
    seconds: (performance.now() - startMs) / 1_000,
    processorSeconds: spent() - before,
    records: records - atReady.events - atReady.duplicates,
    calls: {
      produce: await callsOf('hookline_kafka_produce_seconds_count'),
      redis: await callsOf('hookline_redis_call_seconds_count'),
      postgres: await callsOf('hookline_postgres_query_seconds_count'),
    },
  };
  await Promise.all(running.map((dedup) => dedup.stop(20_000)));
  return turn;
}

export interface Turn {
  seconds: number;
  processorSeconds: number;
  records: number;
}

interface TurnOfDedup extends Turn {
  /** Since the start of the processes. */
  calls: Readonly<Record<'produce' | 'redis' | 'postgres', number>>;
}

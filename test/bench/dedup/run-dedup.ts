/** A dedup process that finds webhooks on their topic, a fifth of them repetitions, and accepts them all. */
import type { World } from '../../integration/dedup/world.ts';
import { processorSeconds } from '../support/processor-seconds.ts';
import { profilingInto } from '../support/profiling-into.ts';

/** Of five webhooks one was sent before, so many webhooks ago. */
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

/** From when it is ready until the last record is committed. */
export async function runDedup(
  world: World,
  { records, profileFile }: { records: number; profileFile: string },
): Promise<Turn> {
  const dedup = await world.spawn(profileFile === '' ? {} : profilingInto(profileFile));
  await dedup.ready(60_000);
  const before = processorSeconds(dedup.pid);
  const startMs = performance.now();
  const atReady = await world.ends();
  await world.committed(commitTimeoutMs);
  const turn = {
    seconds: (performance.now() - startMs) / 1_000,
    processorSeconds: processorSeconds(dedup.pid) - before,
    records: records - atReady.events - atReady.duplicates,
  };
  await dedup.stop(20_000);
  return turn;
}

export interface Turn {
  seconds: number;
  processorSeconds: number;
  records: number;
}

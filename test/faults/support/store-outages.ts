/** Outages of the stores that services share, for several runs. */
import type { Havoc } from './havoc.ts';

type Means = Pick<Havoc, 'away' | 'forget' | 'pause'>;

/** FLUSHALL so many times, at any moment; each third time Redis is killed and started empty instead. */
export async function redisForgets({ forget, away, pause }: Means, times: number, mostPauseMs: number): Promise<void> {
  for (let turn = 0; turn < times; turn += 1) {
    await pause(200, mostPauseMs);
    await (turn % 3 === 2 ? away('redis', 'killed', 0.5) : forget());
  }
}

/** In order, for as long as clients take to give up waiting for it; then without a goodbye. */
export async function kafkaRestarts({ away, pause }: Means): Promise<void> {
  await away('kafka', 'stopped', 15);
  await pause(2_000, 5_000);
  await away('kafka', 'killed', 1);
}

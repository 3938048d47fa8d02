import type { Clock } from '#lib/clock';
import { printable } from '../output/print.ts';

export interface Replay extends Record<string, unknown> {
  id: string;
  status: string;
  matched: number;
  replayed: number;
  failed: number;
  remaining: number;
}

interface Options {
  clock: Clock;
  tenant: string | undefined;
}

const lookEveryMs = 1_000;

/** Prints the progress on the standard error until the replay ends. Undefined after Ctrl-C, which ends the watching alone. */
export async function followReplay(
  started: Replay,
  look: () => Promise<Replay>,
  { clock, tenant }: Options,
): Promise<Replay | undefined> {
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort();
  process.once('SIGINT', interrupt);
  try {
    let printed = '';
    for (let replay = started; ; replay = await look()) {
      const progress = `${printable(replay.id)}: ${replay.replayed} replayed, ${replay.failed} failed, ${replay.remaining} remaining`;
      if (progress !== printed) process.stderr.write(`${progress}\n`);
      printed = progress;
      if (replay.status !== 'running') return await look();
      await clock.sleep(lookEveryMs, interrupted.signal);
      if (interrupted.signal.aborted) {
        const ofTenant = tenant === undefined ? '' : ` --tenant ${tenant}`;
        process.stderr.write(
          `The replay continues. hookline dlq show ${printable(replay.id)}${ofTenant} shows its progress; hookline dlq cancel ${printable(replay.id)}${ofTenant} ends it.\n`,
        );
        return undefined;
      }
    }
  } finally {
    process.removeListener('SIGINT', interrupt);
  }
}

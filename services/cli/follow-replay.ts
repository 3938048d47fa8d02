import type { Clock } from '#lib/clock';
import { printable } from './output.ts';

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

/** Tells on the standard error how far it has come, until it has ended, or someone has seen enough: then undefined. */
export async function followReplay(
  started: Replay,
  look: () => Promise<Replay>,
  { clock, tenant }: Options,
): Promise<Replay | undefined> {
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort();
  process.once('SIGINT', interrupt);
  try {
    let told = '';
    for (let replay = started; ; replay = await look()) {
      const progress = `${printable(replay.id)}: ${replay.replayed} replayed, ${replay.failed} failed, ${replay.remaining} remaining`;
      if (progress !== told) process.stderr.write(`${progress}\n`);
      told = progress;
      if (replay.status !== 'running') return await look();
      await clock.sleep(lookEveryMs, interrupted.signal);
      if (interrupted.signal.aborted) {
        const whose = tenant === undefined ? '' : ` --tenant ${tenant}`;
        process.stderr.write(
          `It goes on. hookline dlq show ${printable(replay.id)}${whose} tells how far; hookline dlq cancel ${printable(replay.id)}${whose} ends it.\n`,
        );
        return undefined;
      }
    }
  } finally {
    process.removeListener('SIGINT', interrupt);
  }
}

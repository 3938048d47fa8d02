import type { Context } from '../context.ts';
import { printable } from '../output/print.ts';

export interface Replay extends Record<string, unknown> {
  id: string;
  status: string;
  operation?: string | null;
  matched: number;
  replayed: number;
  failed: number;
  remaining: number;
}

const lookEveryMs = 1_000;

const done: Readonly<Record<string, string>> = { retry_deliveries: 'retried', cancel_deliveries: 'cancelled' };

const progressOf = ({ id, status, operation, replayed, failed, remaining }: Replay): string =>
  status === 'queued'
    ? `${printable(id)}: queued, ${remaining} remaining`
    : `${printable(id)}: ${replayed} ${done[operation ?? ''] ?? 'replayed'}, ${failed} failed, ${remaining} remaining`;

/** Prints the progress on the standard error until the replay ends. Undefined after Ctrl-C, which ends the watching alone. */
export async function followReplay(
  { process, clock }: Pick<Context, 'process' | 'clock'>,
  started: Replay,
  look: () => Promise<Replay>,
  tenant: string | undefined,
): Promise<Replay | undefined> {
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort();
  process.once('SIGINT', interrupt);
  try {
    let printed = '';
    for (let replay = started; ; replay = await look()) {
      const progress = progressOf(replay);
      if (progress !== printed) process.stderr.write(`${progress}\n`);
      printed = progress;
      if (replay.status !== 'running' && replay.status !== 'queued') return await look();
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

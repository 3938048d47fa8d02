import type { Client } from '#client';
import type { Replay } from '#lib/api-contract';
import type { Context } from '../context.ts';
import { readWaitSeconds } from '../options/replay-options.ts';
import { describe, print, printable } from '../output/print.ts';

/** How far a replay has come. */
export type Progress = Pick<Replay, 'id' | 'status' | 'operation' | 'replayed' | 'failed' | 'remaining' | 'outcome'>;

const lookEveryMs = 1_000;

const doneWords: Readonly<Record<string, string>> = {
  retry_deliveries: 'retried',
  cancel_deliveries: 'asked to be cancelled',
};

function describeProgress({ id, status, operation, replayed, failed, remaining, outcome }: Progress): string {
  if (status === 'queued') return `${printable(id)}: queued, ${remaining} remaining`;
  const sent = `${replayed} ${doneWords[operation ?? ''] ?? 'sent'}, ${failed} failed, ${remaining} remaining`;
  if (outcome === null) return `${printable(id)}: ${sent}`;
  const { delivered, waiting, dead_lettered: dead, cancelled } = outcome;
  const words = [`${delivered} delivered`, `${waiting} waiting`, `${dead} dead-lettered`];
  if (cancelled > 0) words.push(`${cancelled} cancelled`);
  return `${printable(id)}: ${sent}; ${words.join(', ')}`;
}

const isSending = ({ status }: Progress): boolean => status === 'running' || status === 'queued';
const waits = ({ outcome }: Progress): boolean => (outcome?.waiting ?? 0) > 0;

/** The exit code that options/replay-options.ts promises. A delivery that was to be cancelled may end as it likes. */
export function exitCodeOf({ status, operation, failed, outcome }: Progress): number {
  const isCancellation = operation === 'cancel_deliveries';
  const { dead_lettered: dead = 0, cancelled = 0 } = outcome ?? {};
  if (failed > 0 || status === 'cancelled' || (!isCancellation && dead + cancelled > 0)) return 1;
  return (outcome?.waiting ?? 0) > 0 ? 3 : 0;
}

/**
 * Prints the progress on the standard error until every delivery has ended, or the wait for those that were sent is over. Undefined after
 * Ctrl-C, which ends the watching alone.
 */
export async function followReplay<Shown extends Progress>(
  { process, clock }: Pick<Context, 'process' | 'clock'>,
  started: Shown,
  look: () => Promise<Shown>,
  { tenant, waitSeconds }: { tenant: string | undefined; waitSeconds: number },
): Promise<Shown | undefined> {
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort();
  process.once('SIGINT', interrupt);
  try {
    let printed = '';
    let lookedSinceSent = 0;
    for (let replay = started; ; replay = await look()) {
      const progress = describeProgress(replay);
      if (progress !== printed) process.stderr.write(`${progress}\n`);
      printed = progress;
      if (!isSending(replay)) {
        if (!waits(replay)) return await look();
        if (lookedSinceSent * lookEveryMs >= waitSeconds * 1_000) return replay;
        lookedSinceSent += 1;
      }
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

interface Options {
  tenant?: string | undefined;
  wait: string | undefined;
  json: boolean;
}

/** Starts a replay, and shows it until its deliveries have ended. @returns its exit code (exitCodesOfReplay) */
export async function runReplay(
  context: Context,
  api: Client,
  start: () => Promise<Replay | { dry_run: boolean }>,
  options: Options,
): Promise<number> {
  const waitSeconds = readWaitSeconds(options);
  const started = await start();
  if (!('id' in started)) throw new Error('a replay that is not a dry run has an id');
  return showReplay(context, api, started, { ...options, waitSeconds });
}

/** Shows a replay that was started. @param waitSeconds how long its deliveries are waited for, once all are sent */
export async function showReplay(
  context: Context,
  api: Client,
  started: Replay,
  { tenant, json, waitSeconds }: Pick<Options, 'tenant' | 'json'> & { waitSeconds: number },
): Promise<number> {
  const look = (): Promise<Replay> => api.call('GET /v1/replays/:id', { params: { id: started.id } });
  const last = await followReplay(context, started, look, { tenant, waitSeconds });
  if (last === undefined) return 0;
  print(context, last, json, describe);
  return exitCodeOf(last);
}

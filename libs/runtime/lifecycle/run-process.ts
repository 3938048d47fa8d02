/**
 * One process from its start to its exit, whatever runs in it.
 *
 *   running ──SIGTERM/SIGINT──► stopping ──► exit 0
 *      │                           └── deadline or second signal ──► exit 1, naming what still ran
 *      └── it fails ──► stopping ──► exit 1
 */
import type { Clock } from '../clock/clock.ts';
import type { Logger } from '../logger.ts';

/** The work of a process. */
export interface ProcessBody {
  /** @throws Error if it can't start */
  start(): Promise<void>;
  /** It gets no new work from now on; called before `stop`. */
  makeUnready(): void;
  stop(): Promise<void>;
  /** Names of the parts that have not stopped. */
  stillRunning(): string[];
}

interface Options {
  body: ProcessBody;
  log: Logger;
  clock: Clock;
  shutdownTimeoutMs: number;
  /** Resolves with the reason when something has ended that can't continue (a crashed consumer). */
  failed: Promise<Error>;
}

type Stop = { reason: string; error?: Error };

export async function runProcess({ body, log, clock, shutdownTimeoutMs, failed }: Options): Promise<never> {
  const signals = waitForSignals();
  const stopRequested: Promise<Stop> = Promise.race([
    signals.first.then((signal) => ({ reason: signal })),
    failed.then((error) => ({ reason: 'failed', error })),
  ]);
  const startFailure = body.start().then(
    () => new Promise<never>(() => undefined),
    (error: Error): Stop => ({ reason: 'start failed', error }),
  );
  const stop = await Promise.race([stopRequested, startFailure]);

  body.makeUnready();
  if (stop.error === undefined) log.info({ event: 'service.stopping', reason: stop.reason });
  else log.error({ event: 'service.failed', reason: stop.reason, err: stop.error });

  const end = await Promise.race([
    body.stop().then(() => 'stopped' as const),
    signals.second.then(() => 'a second signal' as const),
    clock.sleep(shutdownTimeoutMs).then(() => 'the deadline' as const),
  ]);
  if (end !== 'stopped') log.error({ event: 'service.stop_cut_short', by: end, stillRunning: body.stillRunning() });
  else log.info({ event: 'service.stopped' });
  process.exit(end === 'stopped' && stop.error === undefined ? 0 : 1);
}

function waitForSignals(): { first: Promise<string>; second: Promise<string> } {
  const received: string[] = [];
  const waiting = [Promise.withResolvers<string>(), Promise.withResolvers<string>()] as const;
  const onSignal = (signal: string): void => {
    waiting[Math.min(received.length, 1) as 0 | 1].resolve(signal);
    received.push(signal);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  return { first: waiting[0].promise, second: waiting[1].promise };
}

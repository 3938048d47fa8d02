/**
 * One process from its start to its exit.
 *
 *   starting ──► ready ──SIGTERM/SIGINT──► stopping ──► exit 0
 *      │           │                          └── deadline or second signal ──► exit 1, naming what still ran
 *      └───────────┴── a part fails ──► stopping ──► exit 1
 *
 * Parts start in the order given and stop in reverse, so list leaves first: a part may use those before it for as long as it runs.
 */
import type { Clock } from '#lib/clock';
import type { Logger } from '#lib/log';
import type { Part } from './part.ts';

export interface ServiceProcess {
  parts: readonly Part[];
  log: Logger;
  clock: Clock;
  shutdownTimeoutMs: number;
  /** Called with true when every part has started, with false before the first is stopped. */
  setReady(ready: boolean): void;
  /** Resolves with the reason when something that can't go on by itself has ended (a crashed consumer). */
  failed: Promise<Error>;
}

type Stop = { reason: string; error?: Error };

export async function runService(service: ServiceProcess): Promise<never> {
  const { log } = service;
  const started: Part[] = [];
  const signals = waitForSignals();

  const startAll = async (): Promise<void> => {
    for (const part of service.parts) {
      started.push(part);
      await part.start();
    }
    service.setReady(true);
    log.info({ event: 'service.ready' });
  };

  const stopRequested: Promise<Stop> = Promise.race([
    signals.first.then((signal) => ({ reason: signal })),
    service.failed.then((error) => ({ reason: 'failed', error })),
  ]);
  const startFailure = startAll().then(
    () => new Promise<never>(() => undefined),
    (error: Error): Stop => ({ reason: 'start failed', error }),
  );
  const stop = await Promise.race([stopRequested, startFailure]);

  service.setReady(false);
  if (stop.error === undefined) log.info({ event: 'service.stopping', reason: stop.reason });
  else log.error({ event: 'service.failed', reason: stop.reason, err: stop.error });

  const stillRunning = new Set(started.map((part) => part.name));
  const allStopped = (async (): Promise<'stopped'> => {
    for (const part of [...started].reverse()) {
      await part
        .stop()
        .catch((error: unknown) => log.error({ event: 'service.stop_failed', part: part.name, err: error }));
      stillRunning.delete(part.name);
    }
    return 'stopped';
  })();
  const end = await Promise.race([
    allStopped,
    signals.second.then(() => 'a second signal' as const),
    service.clock.sleep(service.shutdownTimeoutMs).then(() => 'the deadline' as const),
  ]);
  if (end !== 'stopped') log.error({ event: 'service.stop_cut_short', by: end, stillRunning: [...stillRunning] });
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

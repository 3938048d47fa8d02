/**
 * Leases unleased replays of a lane, and works them off. Every dispatcher has one per lane; a replay belongs to one of them while its lease
 * is renewed.
 */
import type { LeasedReplay, ReplayLane, ReplayWork } from '#lib/replay-store';
import { type Clock, createPart, inRounds, isAppError, type Logger, type Part, repeat, toAppError } from '#lib/runtime';
import { createPace } from './pace.ts';
import type { RunReplay } from './run-replay.ts';

interface Deps {
  lane: ReplayLane;
  work: Pick<ReplayWork, 'lease' | 'renew' | 'release'>;
  run: RunReplay;
  /** Identifies this process as a lease holder. */
  owner: string;
  clock: Clock;
  log: Logger;
}

/**
 * Limits of replays per process, and how often it looks for more. A tenant has one bulk replay at a time, most of which wait for their
 * rate. A user watches a single one until it is sent.
 */
const lanes: Readonly<Record<ReplayLane, { maxHeld: number; lookEveryMs: number }>> = {
  single: { maxHeld: 25, lookEveryMs: 250 },
  bulk: { maxHeld: 100, lookEveryMs: 1_000 },
};
/** While more wait than can be held, each is held for so long, then released for the next. */
const shareMs = 5_000;
/** Payloads in memory at once: at most a megabyte each, times the running turns. */
const maxBatch = 25;
const renewEveryMs = 3_000;
/** Time for items under way when the process stops; the lanes drain after it. */
const drainMs = 2_000;

export function createReplayRunner({ lane, work, run, owner, clock, log }: Deps): Part {
  const { maxHeld, lookEveryMs } = lanes[lane];
  const stopping = new AbortController();
  const givenUp = new AbortController();
  const running = new Set<Promise<void>>();

  function renewUntil(replay: LeasedReplay, done: AbortSignal): Promise<void> {
    // If this fails, or the lease is lost, the next step notices.
    const renew = () => work.renew(replay).catch(() => undefined);
    return repeat(renew, { everyMs: renewEveryMs, waitsFirst: true, clock }, done);
  }

  async function workOff(replay: LeasedReplay): Promise<void> {
    const facts = { tenant: replay.tenant, replayId: replay.id };
    const done = new AbortController();
    const renewing = renewUntil(replay, done.signal);
    const takenAtMs = clock.monotonicMs();
    let againInMs = 0;
    log.info({ event: 'replay.taken', ...facts });
    try {
      const pace = createPace(replay.ratePerSecond, maxBatch, clock);
      const left = await run(replay, pace, {
        stopping: stopping.signal,
        givenUp: givenUp.signal,
        isTurnOver: () => running.size >= maxHeld && clock.monotonicMs() - takenAtMs >= shareMs,
      });
      ({ againInMs } = left);
      log.info({ event: 'replay.left', ...facts, end: left.how });
    } catch (error) {
      if (!isAppError(error, 'stopped')) log.error({ event: 'replay.failed', ...facts, err: toAppError(error) });
      // Leased again when its lease has run out: at once would loop without a pause.
      if (!stopping.signal.aborted) return;
    } finally {
      done.abort();
      await renewing;
    }
    await work
      .release(replay, againInMs)
      .catch((error: unknown) => log.warn({ event: 'replay.not_released', ...facts, err: error }));
  }

  async function look(): Promise<void> {
    try {
      const room = maxHeld - running.size;
      const leased = room > 0 ? await work.lease(owner, lane, room) : [];
      for (const replay of leased) {
        const task = workOff(replay).finally(() => running.delete(task));
        running.add(task);
      }
    } catch (error) {
      log.warn({ event: 'replays.not_read', lane, err: toAppError(error) });
    }
  }
  const name = `${lane} replays`;
  const looking = inRounds(look, { name, everyMs: lookEveryMs, clock, log });

  return createPart(name, looking.start, async () => {
    stopping.abort();
    await looking.stop();
    const all = Promise.all(running);
    const drained = new AbortController();
    await Promise.race([all, clock.sleep(drainMs, drained.signal)]);
    drained.abort();
    givenUp.abort();
    await all;
  });
}

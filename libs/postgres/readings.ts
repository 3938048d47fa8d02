/**
 * Readings of what a process has in memory, when somebody needs one. Nothing is read in fixed intervals while work goes on: a caller needs what
 * is at most `recentMs` old, and gets a reading if there is none; a younger one is renewed behind the callers' backs, so that under load nobody
 * waits. One runs, and one more is to follow: whoever asks shares these.
 *
 *   recent ──► younger than `soonMs`: nothing to wait for
 *          ──► younger than `recentMs`: nothing to wait for, and a reading begins
 *          ──► older: waits for the reading that runs, at most `waitMs`
 *          ──► the last one failed, or takes longer than that: nothing to wait for, and a reading begins every second, until one succeeds
 *
 * So an outage of Postgres is outlived with what is there, and costs one caller `waitMs`. A process at rest reads once in `restMs`: should Postgres
 * go away then, what it goes on with is no older, and its connection is one that works.
 */
import { type Clock, inRounds, type Logger, type Part } from '#lib/runtime';

export interface Readings {
  /** When the last successful reading began, in the clock's monotonic milliseconds; -Infinity before the first. */
  freshAtMs(): number;
  /** Reads now; callers that come while a reading runs share the next one, which begins after they asked. @throws what `read` throws */
  refresh(): Promise<void>;
  /**
   * Undefined: there is nothing to wait for. Never rejects, and resolves within `waitMs`; then what is in memory holds.
   *
   * @param atMostMs the age of the reading, if it is not to be `recentMs`
   */
  recent(atMostMs?: number): Promise<void> | undefined;
  /** The last reading is at most `recentMs` old: false only while Postgres is away, for whoever has waited for `recent`. */
  isRecent(): boolean;
  /** The last reading has failed, or the one that runs takes too long. */
  isAway(): boolean;
}

interface Options {
  name: string;
  read(): Promise<void>;
  /** A reading that nobody waited for has failed. */
  onFailed(error: unknown): void;
  waitMs: number;
  clock: Clock;
  log: Logger;
}

/** A change holds in every process two seconds after it (`endpointSettlingMs`): this, and half a second for the reading itself. */
const recentMs = 1_500;
const soonMs = 800;
const againMs = 1_000;
/** Below the time after which the pool closes a connection. */
const restMs = 45_000;
const restAgainMs = 5_000;

/** The part looks after the rest; what reads first is the caller's start. */
export function createReadings({ name, read, onFailed, waitMs, clock, log }: Options): Readings & { resting: Part } {
  let freshAtMs = Number.NEGATIVE_INFINITY;
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  /** Waited for by callers of `recent`. */
  let awaited: Promise<void> | undefined;
  let isAway = false;
  let beganAtMs = Number.NEGATIVE_INFINITY;

  async function readNow(): Promise<void> {
    const began = clock.monotonicMs();
    beganAtMs = began;
    await read();
    freshAtMs = began;
    isAway = false;
  }

  const refresh = (): Promise<void> =>
    (next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        running = readNow();
        return running;
      }));

  const readAwaited = (): Promise<void> =>
    (awaited ??= new Promise((resolve) => {
      const stopLimit = clock.startLimit(waitMs, () => {
        isAway = true;
        resolve();
      });
      void refresh()
        .catch((error: unknown) => {
          isAway = true;
          onFailed(error);
        })
        .finally(() => {
          stopLimit();
          awaited = undefined;
          resolve();
        });
    }));

  function recent(atMostMs = recentMs): Promise<void> | undefined {
    const nowMs = clock.monotonicMs();
    const ageMs = nowMs - freshAtMs;
    if (ageMs < Math.min(soonMs, atMostMs)) return undefined;
    if (isAway) {
      if (awaited === undefined && nowMs - beganAtMs >= againMs) void readAwaited();
      return undefined;
    }
    const reading = readAwaited();
    return ageMs <= atMostMs ? undefined : reading;
  }

  const restForMs = (): number => Math.max(restAgainMs, freshAtMs + restMs - clock.monotonicMs());
  const resting = inRounds(
    async () => {
      if (clock.monotonicMs() - freshAtMs >= restMs) await recent();
    },
    { name: `readings of ${name}`, everyMs: restForMs, waitsFirst: true, clock, log },
  );
  return {
    freshAtMs: () => freshAtMs,
    refresh,
    recent,
    isRecent: () => clock.monotonicMs() - freshAtMs <= recentMs,
    isAway: () => isAway,
    resting: { ...resting, stop: () => resting.stop().then(() => awaited) },
  };
}

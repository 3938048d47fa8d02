import { type ProduceLane, slowAfterMs } from './produce-lane.ts';

/** The connections to one leader. */
export interface LeaderLanes {
  /**
   * Chooses the lane of a partition: the shared one, or the second while the leader takes long over a request on the first. A partition
   * that is sent alone has its own lane meanwhile.
   */
  of(partition: string, isAlone: boolean): ProduceLane;
  /** How long the shared request has been running, once that is long; else 0. */
  slowForMs(): number;
  /** Makes partitions that wait for a slow request choose another lane. */
  disperseSlow(): void;
  /** Makes all waiting partitions choose another lane: their leader may have changed. */
  disperse(): void;
  connect(): Promise<void>;
  close(): Promise<void>;
}

/** @param newLane calls `onGivenUp` as produce-lane.ts describes it */
export function createLeaderLanes(newLane: (onGivenUp: () => void) => ProduceLane): LeaderLanes {
  const alone = new Map<string, ProduceLane>();
  let shared = createLane();
  let spare: ProduceLane | undefined;

  function createLane(): ProduceLane {
    const lane = newLane(() => replace(lane));
    return lane;
  }

  /** The lane of a partition alone has a single one, and so is never given up by others. */
  function replace(lane: ProduceLane): void {
    if (lane === shared) shared = createLane();
    if (lane === spare) spare = undefined;
    lane.retire();
  }

  const isSlow = (): boolean => shared.inFlightMs() > slowAfterMs;
  const slowForMs = (): number => (isSlow() ? shared.inFlightMs() : 0);
  const all = (): ProduceLane[] => [shared, ...(spare === undefined ? [] : [spare]), ...alone.values()];

  function ownLane(partition: string): ProduceLane {
    const own = alone.get(partition) ?? createLane();
    alone.set(partition, own);
    return own;
  }

  return {
    of(partition, isAlone) {
      if (isAlone) return ownLane(partition);
      void alone.get(partition)?.close();
      alone.delete(partition);
      if (!isSlow()) return shared;
      return (spare ??= createLane());
    },
    slowForMs,
    disperseSlow() {
      if (isSlow()) shared.disperse();
    },
    disperse() {
      for (const lane of all()) lane.disperse();
    },
    connect: () => shared.connect(),
    async close() {
      await Promise.all(all().map((lane) => lane.close()));
    },
  };
}

import type { Clock } from '#lib/runtime';

/** For how long a consumer has been without its group. */
export interface GroupPresence {
  /** The coordinator has answered a heartbeat, or a join. */
  heard(): void;
  isMember(): boolean;
  /** Milliseconds since it last heard of its group, or since it was made; 0 while it is a member. */
  absentMs(): number;
}

/**
 * A member is taken for one until the session time-out after it was last heard of: within it the group itself does not give the member up,
 * and a rebalance, which takes a second or two, is no absence. Before the first join there is nothing to be a member of.
 */
export function createGroupPresence(clock: Pick<Clock, 'monotonicMs'>, sessionTimeoutMs: number): GroupPresence {
  let sinceMs = clock.monotonicMs();
  let hasJoined = false;
  const absentMs = (): number => {
    const silentMs = clock.monotonicMs() - sinceMs;
    return hasJoined && silentMs < sessionTimeoutMs ? 0 : silentMs;
  };
  return {
    heard() {
      hasJoined = true;
      sinceMs = clock.monotonicMs();
    },
    isMember: () => hasJoined && absentMs() === 0,
    absentMs,
  };
}

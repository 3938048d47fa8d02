import type { Clock } from '#lib/runtime';

/** Until when no other member of the group can have been given our partitions. */
export interface MembershipLease {
  /** The group has answered a heartbeat, or a join. */
  heard(): void;
  holds(): boolean;
}

/**
 * The group gives up a member a session time-out after it last heard of it, which was when a heartbeat reached it: after that had been
 * sent, and so after the answer to the one before. That answer's time is the one to count from. A process that was paused can look at the
 * answer to its last heartbeat long after that was given, and must not take it for news.
 */
export function createMembershipLease(clock: Pick<Clock, 'monotonicMs'>, sessionTimeoutMs: number): MembershipLease {
  let lastMs = Number.NEGATIVE_INFINITY;
  let beforeMs = Number.NEGATIVE_INFINITY;
  return {
    heard() {
      beforeMs = lastMs;
      lastMs = clock.monotonicMs();
    },
    holds: () => clock.monotonicMs() < beforeMs + sessionTimeoutMs,
  };
}

/**
 * The limit for waits on a cluster, most of which take a second. A broker that a busy machine keeps from its controller for ten is led
 * around first.
 */
export const inTime = { timeoutMs: 60_000 };

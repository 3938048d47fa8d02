/** What most waits for a cluster take a second of. A broker that a busy machine keeps from its controller for ten is led around first. */
export const inTime = { timeoutMs: 60_000 };

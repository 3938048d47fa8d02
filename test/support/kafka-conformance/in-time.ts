/**
 * The limit for waits on a cluster; most take a second. If a busy machine cuts a broker off from its controller for ten seconds, new
 * leaders are elected first.
 */
export const inTime = { timeoutMs: 60_000 };

import { Agent } from 'node:http';

/** Longer than any server keeps a connection that has nothing to do. */
const longestIdleMs = 600_000;

/**
 * Connections that are used again, and let go of a second before the server says that it will (`Keep-Alive: timeout=…`): a request that
 * goes out while the server closes is reset, and nobody has done anything to it. Node's agent heeds what the server says only where it
 * has a longer limit of its own.
 */
export const keepAliveAgent = (maxSockets = Number.POSITIVE_INFINITY): Agent =>
  new Agent({ keepAlive: true, maxSockets, timeout: longestIdleMs });

import { Agent } from 'node:http';

/** Longer than any server keeps a connection that has nothing to do. */
const longestIdleMs = 600_000;

/**
 * Reuses connections, and drops them a second before the server's limit (`Keep-Alive: timeout=…`): a request sent while the server closes
 * would be reset without a fault. Node's agent follows the server's limit only if its own is longer.
 */
export const keepAliveAgent = (maxSockets = Number.POSITIVE_INFINITY): Agent =>
  new Agent({ keepAlive: true, maxSockets, timeout: longestIdleMs });

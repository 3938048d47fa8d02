import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';

const sent = new Map<string, number>();

/**
 * Counts the requests of all connections of the process by Kafka's name for them: each request wakes a broker, and its answer wakes this
 * process. kafkajs has no such counter.
 */
export function countRequests(): void {
  const queue = RequestQueue.prototype;
  const push = queue.push;
  queue.push = function (request) {
    const kind = request.entry.apiName;
    sent.set(kind, (sent.get(kind) ?? 0) + 1);
    push.call(this, request);
  };
}

/** Requests sent since the process started, by kind. */
export const requestsSent = (): ReadonlyMap<string, number> => sent;

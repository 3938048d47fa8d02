import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';

const sent = new Map<string, number>();
let counting = false;

/**
 * Has the requests of all connections of the process counted, by Kafka's names for them: each wakes a broker, and its answer this process.
 *
 * It reaches into kafkajs 2.2.4, which is why that version is pinned exactly.
 */
export function countRequests(): void {
  if (counting) return;
  counting = true;
  const queue = RequestQueue.prototype;
  const push = queue.push;
  queue.push = function (request) {
    const kind = request.entry.apiName;
    sent.set(kind, (sent.get(kind) ?? 0) + 1);
    push.call(this, request);
  };
}

/** So far, by kind. */
export const requestsSent = (): ReadonlyMap<string, number> => sent;

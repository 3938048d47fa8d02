import ConsumerGroup from 'kafkajs/src/consumer/consumerGroup.js';
import RequestQueue, { type RequestQueue as Queue } from 'kafkajs/src/network/requestQueue/index.js';

/** One timer checks the requests in flight of all connections; kafkajs has one per connection, ten times a second. */
const checkEveryMs = 500;

/**
 * kafkajs measures intervals with the wall clock. After a step back by ten minutes it sends no heartbeat for ten minutes: the group replaces the
 * member, which does not notice and works on beside its successor; and no request times out. After a step ahead, every request in flight times
 * out at once. Patched: a heartbeat is sent when the last one lies in the future, and request time limits use the monotonic clock.
 */
export function patchClockSteps(): void {
  const group = ConsumerGroup.prototype;
  const heartbeat = group.heartbeat;
  group.heartbeat = function (options) {
    if (this.lastRequest > Date.now()) this.lastRequest = 0;
    return heartbeat.call(this, options);
  };

  const { prototype } = RequestQueue;
  const destroy = prototype.destroy;
  prototype.scheduleRequestTimeoutCheck = function () {
    if (!this.enforceRequestTimeout) return;
    this.destroy();
    watch(this);
  };
  prototype.destroy = function () {
    destroy.call(this);
    unwatch(this);
  };
}

/** All connections of the process; for each of their requests, when it was first seen. */
const watched = new Map<Queue, WeakMap<object, number>>();
let checking: NodeJS.Timeout | undefined;

function watch(queue: Queue): void {
  watched.set(queue, new WeakMap());
  // The connections keep the process alive; this timer must not.
  checking ??= setInterval(() => watched.forEach(timeOutLate), checkEveryMs).unref();
}

function unwatch(queue: Queue): void {
  watched.delete(queue);
  if (watched.size > 0) return;
  clearInterval(checking);
  checking = undefined;
}

function timeOutLate(firstSeenAtMs: WeakMap<object, number>, queue: Queue): void {
  const nowMs = performance.now();
  let isLate = false;
  for (const request of queue.inflight.values()) {
    const sinceMs = firstSeenAtMs.get(request) ?? nowMs;
    firstSeenAtMs.set(request, sinceMs);
    if (nowMs - sinceMs <= request.requestTimeout) continue;
    request.timeoutRequest();
    isLate = true;
  }
  // A queued request (the broker throttles) has no time limit of its own: it ends with the connection.
  for (const request of queue.pending) {
    const sinceMs = firstSeenAtMs.get(request) ?? nowMs;
    firstSeenAtMs.set(request, sinceMs);
    isLate ||= nowMs - sinceMs > request.requestTimeout;
  }
  if (isLate) queue.onTimedOut?.();
  if (!queue.isConnected()) queue.destroy();
}

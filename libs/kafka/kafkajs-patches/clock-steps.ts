import ConsumerGroup from 'kafkajs/src/consumer/consumerGroup.js';
import RequestQueue, { type RequestQueue as Queue } from 'kafkajs/src/network/requestQueue/index.js';

let borne = false;

/** Between two looks at the requests that are under way: one timer for all connections, where kafkajs has one for each, ten times a second. */
const lookEveryMs = 500;

/**
 * kafkajs measures with the wall clock. Set back by ten minutes, it would send no heartbeat for as long: the group goes on without the
 * member, which hears nothing of it and works on beside its successor; and no request would time out. Set ahead, every request under way
 * would time out at once. It reaches into kafkajs 2.2.4, which is why that version is pinned exactly.
 */
export function bearClockSteps(): void {
  if (borne) return;
  borne = true;
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

/** All connections of the process, with when each of their requests was first seen. */
const watched = new Map<Queue, WeakMap<object, number>>();
let looking: NodeJS.Timeout | undefined;

function watch(queue: Queue): void {
  watched.set(queue, new WeakMap());
  // The connections keep the process; a timer that looks at them need not.
  looking ??= setInterval(() => watched.forEach(look), lookEveryMs).unref();
}

function unwatch(queue: Queue): void {
  watched.delete(queue);
  if (watched.size > 0) return;
  clearInterval(looking);
  looking = undefined;
}

function look(firstSeenAtMs: WeakMap<object, number>, queue: Queue): void {
  const nowMs = performance.now();
  let isLate = false;
  for (const request of queue.inflight.values()) {
    const sinceMs = firstSeenAtMs.get(request) ?? nowMs;
    firstSeenAtMs.set(request, sinceMs);
    if (nowMs - sinceMs <= request.requestTimeout) continue;
    request.timeoutRequest();
    isLate = true;
  }
  // One that waits for its turn, for as long as the broker throttles, has no limit of its own: it ends with the connection.
  for (const request of queue.pending) {
    const sinceMs = firstSeenAtMs.get(request) ?? nowMs;
    firstSeenAtMs.set(request, sinceMs);
    isLate ||= nowMs - sinceMs > request.requestTimeout;
  }
  if (isLate) queue.onTimedOut?.();
  if (!queue.isConnected()) queue.destroy();
}

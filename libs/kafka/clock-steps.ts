import ConsumerGroup from 'kafkajs/src/consumer/consumerGroup.js';
import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';

let borne = false;

/** Between two looks at the requests that are under way. */
const lookEveryMs = 100;

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

  RequestQueue.prototype.scheduleRequestTimeoutCheck = function () {
    if (!this.enforceRequestTimeout) return;
    this.destroy();
    const firstSeenAtMs = new WeakMap<object, number>();
    const look = (): void => {
      const nowMs = performance.now();
      let isLate = false;
      for (const request of this.inflight.values()) {
        const sinceMs = firstSeenAtMs.get(request) ?? nowMs;
        firstSeenAtMs.set(request, sinceMs);
        if (nowMs - sinceMs <= request.requestTimeout) continue;
        request.timeoutRequest();
        isLate = true;
      }
      // One that waits for its turn, for as long as the broker throttles, has no limit of its own: it ends with the connection.
      for (const request of this.pending) {
        const sinceMs = firstSeenAtMs.get(request) ?? nowMs;
        firstSeenAtMs.set(request, sinceMs);
        isLate ||= nowMs - sinceMs > request.requestTimeout;
      }
      if (isLate) this.onTimedOut?.();
      if (!this.isConnected()) this.destroy();
    };
    this.requestTimeoutIntervalId = setInterval(look, Math.min(this.requestTimeout, lookEveryMs));
  };
}

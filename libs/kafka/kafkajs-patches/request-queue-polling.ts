import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';

let tamed = false;

/**
 * kafkajs's request queue sets itself a timer of 0 ms again and again while nothing waits in it (tulios/kafkajs#1751): 2 % of a core
 * with three brokers, doing nothing. Scheduling only when a request waits is enough, because a request that has to wait schedules
 * the check itself. It reaches into kafkajs 2.2.4, which is why that version is pinned exactly.
 */
export function tameRequestQueuePolling(): void {
  if (tamed) return;
  tamed = true;
  const queue = RequestQueue.prototype;

  const schedule = queue.scheduleCheckPendingRequests;
  queue.scheduleCheckPendingRequests = function () {
    if (this.pending.length > 0) schedule.call(this);
  };
}

import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';

/**
 * kafkajs's request queue rearms a timer of 0 ms for ever while nothing waits in it (tulios/kafkajs#1751): 2 % of an idle core with three
 * brokers. Patched: it is armed only while a request waits. That is enough, because a request that has to wait schedules the check itself.
 */
export function stopIdlePolling(): void {
  const queue = RequestQueue.prototype;

  const schedule = queue.scheduleCheckPendingRequests;
  queue.scheduleCheckPendingRequests = function () {
    if (this.pending.length > 0) schedule.call(this);
  };
}

import { createRequire } from 'node:module';
import { applyPatches } from '../../../libs/kafka/kafkajs-patches/apply-patches.ts';

interface Queue {
  pending: unknown[];
  throttledUntil: number;
  throttleCheckTimeoutId: unknown;
  scheduleCheckPendingRequests(): void;
  destroy(): void;
}
type QueueClass = new (options: object) => Queue;

test('kafkajs’s request queue sets itself a timer while a request waits, and none while it is idle', () => {
  applyPatches();
  applyPatches();
  const RequestQueue = createRequire(import.meta.url)('kafkajs/src/network/requestQueue/index.js') as QueueClass;
  const queue = new RequestQueue({ logger: { debug: () => undefined } });
  queue.scheduleCheckPendingRequests();
  expect(queue.throttleCheckTimeoutId).toBeNull();
  queue.pending.push({});
  queue.scheduleCheckPendingRequests();
  expect(queue.throttleCheckTimeoutId).not.toBeNull();
  queue.destroy();
});

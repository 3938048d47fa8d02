import { createRequire } from 'node:module';
import { applyPatches } from '../../../libs/kafka/kafkajs-patches/apply-patches.ts';
import { requestsSent } from '../../../libs/kafka/kafkajs-patches/count-requests.ts';

interface Queue {
  push(request: object): void;
  destroy(): void;
}
type QueueClass = new (options: object) => Queue;

test('requests of all connections are counted by Kafka’s names for them', () => {
  applyPatches();
  const RequestQueue = createRequire(import.meta.url)('kafkajs/src/network/requestQueue/index.js') as QueueClass;
  const before = requestsSent().get('Heartbeat') ?? 0;
  for (let connection = 0; connection < 2; connection += 1) {
    const queue = new RequestQueue({
      logger: { debug: () => undefined },
      isConnected: () => true,
      maxInFlightRequests: 5,
      requestTimeout: 1_000,
      enforceRequestTimeout: false,
    });
    const entry = { apiName: 'Heartbeat', correlationId: connection, resolve: () => undefined };
    queue.push({ entry, sendRequest: () => undefined, requestTimeout: 1_000, expectResponse: true });
    queue.destroy();
  }
  expect(requestsSent().get('Heartbeat')).toBe(before + 2);
});

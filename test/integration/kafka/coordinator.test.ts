import { createRequire } from 'node:module';
import { createConsumer } from '#lib/kafka';
import { silentLogger } from '#lib/runtime';
import { consumerOptions, runningParts } from '../../support/kafka-conformance/setup.ts';
import { serverAddresses, uniquePrefix } from '../../support/servers.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { createClient } from '../../../libs/kafka/client.ts';

interface BrokerPool {
  withBroker(ask: unknown): Promise<unknown>;
}
const BrokerPool = createRequire(import.meta.url)('kafkajs/src/cluster/brokerPool.js') as { prototype: BrokerPool };

const run = runningParts();

test('a consumer whose coordinator no broker can name for a while starts again, and reads', async () => {
  const brokers = serverAddresses().kafkaBrokers;
  const topic = `${uniquePrefix('coordinator')}topic`;
  const kafka = createClient({ brokers, clientId: 'test', log: silentLogger });
  const [admin, producer] = [kafka.admin(), kafka.producer()];
  await Promise.all([admin.connect(), producer.connect()]);
  await admin.createTopics({ topics: [{ topic, numPartitions: 1 }] });
  await producer.send({ topic, messages: [{ value: 'a' }] });
  await Promise.all([admin.disconnect(), producer.disconnect()]);

  // As it is where every broker's connection is cut while it is asked.
  let asked = 0;
  const withBroker = jest.spyOn(BrokerPool.prototype, 'withBroker').mockImplementation(() => {
    asked += 1;
    return Promise.resolve(null);
  });
  const values: string[] = [];
  const failures: Error[] = [];
  const handle = async (records: readonly { value: Buffer; done(): void }[]): Promise<void> => {
    for (const record of records) {
      values.push(record.value.toString());
      record.done();
    }
  };
  const options = {
    brokers,
    groupId: topic,
    topics: [topic],
    handle,
    onFailure: (error: Error) => failures.push(error),
  };
  await run(createConsumer(consumerOptions(options)));
  await waitUntil('it has asked again and again', () => asked > 2);
  withBroker.mockRestore();
  await waitUntil('it reads', () => values.length > 0, { timeoutMs: 30_000 });
  expect([values, failures]).toEqual([['a'], []]);
});

import { createRequire } from 'node:module';
import { KafkaJSError } from 'kafkajs/src/errors.js';
import { createConsumer, createTopics } from '#lib/kafka';
import { createLogger } from '#lib/log';
import { silentLogger, systemClock } from '#lib/runtime';
import { createClient } from '../../../libs/kafka/client.ts';
import { consumerOptions, runningParts } from '../../support/kafka-conformance/setup.ts';
import { lostMembershipIn } from '../../support/lost-membership.ts';
import { serverAddresses, uniquePrefix } from '../../support/servers.ts';
import { waitUntil } from '../../support/wait-until.ts';

interface Broker {
  heartbeat(request: object): Promise<unknown>;
  joinGroup(request: object): Promise<unknown>;
}
const Broker = createRequire(import.meta.url)('kafkajs/src/broker/index.js') as { prototype: Broker };

const run = runningParts();
afterEach(() => jest.restoreAllMocks());

/** A coordinator's answer to a removed member, and the error of an unanswered request. */
const forgotten = (): Error => Object.assign(new KafkaJSError('unknown member'), { type: 'UNKNOWN_MEMBER_ID' });
const unanswered = (): Error => Object.assign(new KafkaJSError('timed out'), { name: 'KafkaJSRequestTimeoutError' });

test('a consumer that its group has given up, and whose join then fails, logs the loss, joins again and reads on', async () => {
  const brokers = serverAddresses().kafkaBrokers;
  const topic = `${uniquePrefix('forgotten')}topic`;
  await createTopics({ brokers }, [{ name: topic, partitions: 1, replicationFactor: 1 }], {
    clock: systemClock,
    log: silentLogger,
  });
  const values: string[] = [];
  const failures: Error[] = [];
  const lines: string[] = [];
  const log = createLogger({ service: 'dedup', level: 'info' }, { write: (line) => void lines.push(line) });
  const losses = () => lines.flatMap((line) => lostMembershipIn(line, Date.now(), 0) ?? []);
  await run(
    createConsumer(
      consumerOptions({
        brokers,
        groupId: topic,
        topics: [topic],
        log,
        handle: async (records) => {
          for (const record of records) {
            values.push(record.value.toString());
            record.done();
          }
        },
        onFailure: (error) => failures.push(error),
      }),
    ),
  );
  await waitUntil('it has joined', () => lines.some((line) => line.includes('consumer.joined')));
  // A coordinator that was not there yet is a crash too.
  const before = losses().length;
  const { joinGroup } = Broker.prototype;
  let joinsToFail = 2;
  let joined = 0;
  const heartbeat = jest.spyOn(Broker.prototype, 'heartbeat').mockRejectedValueOnce(forgotten());
  jest.spyOn(Broker.prototype, 'joinGroup').mockImplementation(async function (this: Broker, request) {
    if (joinsToFail > 0) {
      joinsToFail -= 1;
      throw unanswered();
    }
    joined += 1;
    return joinGroup.call(this, request);
  });
  await waitUntil('it is given up', () => heartbeat.mock.calls.length > 0);

  const producer = createClient({ brokers, clientId: 'test', log: silentLogger }).producer();
  await producer.connect();
  await producer.send({ topic, messages: [{ value: 'a' }] });
  await producer.disconnect();
  await waitUntil('it reads', () => values.length > 0, { timeoutMs: 20_000, describe: () => `joined ${joined}` });
  expect([values, failures, joinsToFail, joined]).toEqual([['a'], [], 0, 1]);
  expect(losses().slice(before)).toMatchObject([{ service: 'dedup', what: `${topic} lost its membership` }]);
});

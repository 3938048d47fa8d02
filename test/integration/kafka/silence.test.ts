import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { createConsumer, createTopics } from '#lib/kafka';
import { systemClock } from '#lib/clock';
import { silentLogger } from '#lib/log';
import { consumerOptions, runningParts } from '../../support/kafka-conformance/setup.ts';
import { serverAddresses, uniquePrefix } from '../../support/servers.ts';
import { waitUntil } from '../../support/wait-until.ts';

interface Broker {
  fetch(request: unknown): Promise<unknown>;
}
const Broker = createRequire(__filename)('kafkajs/src/broker/index.js') as { prototype: Broker };

const run = runningParts();
/** Longer than it takes to join on a machine that has all else to do. */
const maxSilenceMs = 8_000;

jest.setTimeout(15 * maxSilenceMs);

async function startConsumer(topic: string): Promise<Error[]> {
  const failures: Error[] = [];
  await run(
    createConsumer(
      consumerOptions({
        brokers: serverAddresses().kafkaBrokers,
        groupId: topic,
        topics: [topic],
        maxSilenceMs,
        handle: async (records) => records.forEach((record) => record.done()),
        onFailure: (error) => failures.push(error),
      }),
    ),
  );
  return failures;
}

async function newTopic(name: string): Promise<string> {
  const topic = `${uniquePrefix('silence')}${name}`;
  const access = { brokers: serverAddresses().kafkaBrokers };
  await createTopics(access, [{ name: topic, partitions: 1, replicationFactor: 1 }], {
    clock: systemClock,
    log: silentLogger,
  });
  return topic;
}

test('consumers are heard of though there is nothing to read, one without a partition included', async () => {
  const topic = await newTopic('idle');
  const failures = [await startConsumer(topic), await startConsumer(topic)];
  await delay(2 * maxSilenceMs);
  expect(failures).toEqual([[], []]);
});

test('one whose client waits for what never comes is given up', async () => {
  const failures = await startConsumer(await newTopic('lost'));
  expect(failures).toEqual([]);
  // No error, no time-out.
  const { promise: never, reject: end } = Promise.withResolvers<never>();
  never.catch(() => undefined);
  const fetch = jest.spyOn(Broker.prototype, 'fetch').mockReturnValue(never);
  try {
    await waitUntil('it is given up', () => failures.length > 0, { timeoutMs: 10 * maxSilenceMs });
    expect(failures).toMatchObject([{ code: 'kafka_unavailable' }]);
    expect(String(failures)).toContain('stands still');
  } finally {
    fetch.mockRestore();
    end(new Error('it never came'));
  }
});

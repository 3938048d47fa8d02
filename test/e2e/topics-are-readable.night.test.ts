/**
 * Reads the topics as any other program would: kafkajs, the registry client, and the names of topics; nothing of libs/. That is the point here, and
 * the one place outside libs/kafka that imports them.
 */
import { SchemaRegistry } from '@kafkajs/confluent-schema-registry';
import { Kafka, logLevel } from 'kafkajs';
import { seededRandom } from '../support/seeded-random.ts';
import { waitUntil } from '../support/wait-until.ts';
import { githubPayloads } from './github-payloads.ts';
import { type OwnPipeline, startOwnPipeline } from './own-pipeline.ts';
import { prepareWebhookRun, type WebhookRun } from './webhook-run.ts';

const webhooks = 30;

describe('a plain Kafka consumer with the schema registry', () => {
  let pipeline: OwnPipeline;
  let run: WebhookRun;
  const random = seededRandom(1);

  beforeAll(async () => {
    // Makes all kinds of records, sets included.
    pipeline = await startOwnPipeline({ env: { HOOKLINE_FAN_OUT_AT_ONCE: '0' } });
    run = await prepareWebhookRun(pipeline.stack, { scheme: 'github', random, exclusive: true });
  });
  afterAll(async () => {
    await run?.close();
    await pipeline?.close();
  });

  it('reads every record of events and delivery.attempts', () =>
    pipeline.explain(async () => {
      const payloads = githubPayloads(run.source.secret, random).slice(0, webhooks);
      await run.sendAll(payloads, 100);
      expect((await run.check(60_000)).tally).toEqual({});

      const [events = [], attempts = []] = await readAll(pipeline, ['events', 'delivery.attempts']);

      expect(events).toHaveLength(webhooks);
      expect(new Set(events.map(({ value }) => value.event_id))).toEqual(
        new Set(payloads.map(({ identity }) => identity)),
      );
      expect(events.map(({ value }) => (value.payload as Buffer).toString('latin1')).sort()).toEqual(
        payloads.map(({ body }) => body.toString('latin1')).sort(),
      );
      expect(events.map(({ key }) => key)).toEqual(events.map(({ value }) => value.id));

      const byKind = Map.groupBy(attempts, ({ value }) => value.kind);
      expect([...byKind].map(([kind, found]) => [kind, found.length]).sort()).toEqual([
        ['attempted', 2 * webhooks],
        ['fanned_out', webhooks],
      ]);
      expect(attempts.map(({ key }) => key)).toEqual(attempts.map(({ value }) => value.event_id));
      expect(new Set(byKind.get('attempted')?.map(({ value }) => value.status))).toEqual(new Set(['delivered']));
    }));
});

interface Decoded {
  key: string | undefined;
  value: Record<string, unknown>;
}

/** Every record of these topics, decoded, in the topics' order. */
async function readAll(pipeline: OwnPipeline, names: readonly string[]): Promise<Decoded[][]> {
  const { kafkaBrokers, schemaRegistryUrl, topicPrefix } = pipeline.stack;
  const topics = names.map((name) => `${topicPrefix}${name}`);
  const kafka = new Kafka({ brokers: [...kafkaBrokers], clientId: 'stranger', logLevel: logLevel.NOTHING });
  const registry = new SchemaRegistry({ host: schemaRegistryUrl });
  const admin = kafka.admin();
  await admin.connect();
  const ends = await Promise.all(topics.map((topic) => admin.fetchTopicOffsets(topic)));
  await admin.disconnect();
  const expected = ends.flat().reduce((sum, { high }) => sum + Number(high), 0);

  const decoded = new Map(topics.map((topic) => [topic, [] as Decoded[]]));
  const failures: unknown[] = [];
  const consumer = kafka.consumer({ groupId: `${topicPrefix}stranger` });
  try {
    await consumer.connect();
    await consumer.subscribe({ topics, fromBeginning: true });
    await consumer.run({
      eachMessage: async ({ topic, message }) => {
        try {
          const value = (await registry.decode(message.value as Buffer)) as Record<string, unknown>;
          decoded.get(topic)?.push({ key: message.key?.toString(), value });
        } catch (error) {
          failures.push(error);
        }
      },
    });
    await waitUntil('every record is read', () => failures.length + [...decoded.values()].flat().length >= expected, {
      describe: () => `${[...decoded.values()].flat().length} of ${expected}`,
    });
  } finally {
    await consumer.disconnect();
  }
  expect(failures).toEqual([]);
  return [...decoded.values()];
}

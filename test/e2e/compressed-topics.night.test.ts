/**
 * The whole pipeline on topics that a cluster's policy compresses: every codec on all six topics, by the topic's `compression.type`, while webhooks
 * arrive once and twice and records can't be read. `webhooks.received` is written by kcat too.
 */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { type ConfigResourceTypes, Kafka, logLevel } from 'kafkajs';
import fetchResponse from 'kafkajs/src/protocol/requests/fetch/v11/response.js';
import { provideTools } from '#deploy/local/install/install.ts';
import { kcat } from '#deploy/local/install/tools.ts';
import { header, topicNames } from '#lib/contract';
import { readTopic } from '#lib/kafka';
import { silentLogger, systemClock } from '#lib/runtime';
import { FetchedBatch } from '../../libs/kafka/codec/fetched-batch.ts';
import { applyPatches } from '../../libs/kafka/kafkajs-patches/apply-patches.ts';
import { noneUndecodable } from '../support/none-undecodable.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { waitUntil } from '../support/wait-until.ts';
import { githubPayloads } from './github-payloads.ts';
import { type OwnPipeline, startOwnPipeline } from './own-pipeline.ts';
import { prepareWebhookRun, type WebhookRun } from './webhook-run.ts';

const codecs = ['gzip', 'snappy', 'lz4', 'zstd'] as const;
const webhooks = 40;
const topicResource: ConfigResourceTypes = 2;

describe('topics that are compressed', () => {
  let pipeline: OwnPipeline;
  let run: WebhookRun;
  let admin: ReturnType<Kafka['admin']>;
  let kafka: Kafka;
  let kcatProgram: string;
  const random = seededRandom(1);

  beforeAll(async () => {
    ({ kcat: kcatProgram } = await provideTools({ kcat }, (line) => process.stderr.write(`${line}\n`)));
    pipeline = await startOwnPipeline();
    run = await prepareWebhookRun(pipeline.stack, { scheme: 'github', random, exclusive: true });
    kafka = new Kafka({ brokers: [...pipeline.stack.kafkaBrokers], logLevel: logLevel.NOTHING });
    admin = kafka.admin();
    await admin.connect();
  });
  afterAll(async () => {
    await admin?.disconnect();
    await run?.close();
    await pipeline?.close();
  });

  const fullName = (name: string): string => `${pipeline.stack.topicPrefix}${name}`;

  async function ask<T>(path: string, tenant: string): Promise<T> {
    const { apiUrl, adminKey } = pipeline.stack;
    const headers = { authorization: `Bearer ${adminKey}`, 'hookline-tenant': tenant };
    const answer = await fetch(`${apiUrl}/v1${path}`, { headers });
    expect(answer.status).toBe(200);
    return (await answer.json()) as T;
  }

  /** The codecs of the batches that stand on a topic. */
  async function codecsOn(name: string): Promise<Set<string>> {
    applyPatches();
    const found = new Set<string>();
    const { decode } = fetchResponse;
    fetchResponse.decode = async (bytes) => {
      const answer = await decode(bytes);
      for (const { messages } of answer.responses.flatMap(({ partitions }) => partitions))
        for (const message of messages) if (message instanceof FetchedBatch) found.add(message.compression);
      return answer;
    };
    try {
      await readTopic({
        brokers: pipeline.stack.kafkaBrokers,
        clientId: 'codecs',
        clock: systemClock,
        log: silentLogger,
        topic: fullName(name),
        groupId: `${fullName('codecs')}-${randomUUID()}`,
        sinceMs: undefined,
        handle: async () => undefined,
        onUndecodable: noneUndecodable,
      });
    } finally {
      fetchResponse.decode = decode;
    }
    return found;
  }

  it('arrive whole in every codec, once, as duplicates and as dead letters', () =>
    pipeline.explain(async () => {
      const payloads = githubPayloads(run.source.secret, random);
      for (const [index, codec] of codecs.entries()) {
        const configEntries = [{ name: 'compression.type', value: codec }];
        const resources = topicNames.map((name) => ({ type: topicResource, name: fullName(name), configEntries }));
        await admin.alterConfigs({ validateOnly: false, resources });
        const some = payloads.slice(index * webhooks, (index + 1) * webhooks);
        await run.sendAll([...some, ...some.slice(0, 10)], 100);
        // Drained: the next codec is that of the next webhooks alone.
        expect([codec, (await run.check(120_000)).tally]).toEqual([codec, {}]);
      }

      // No record of a tenant, so dedup gives it up; its dead letter is compressed on its own topic, too.
      const producer = kafka.producer();
      await producer.connect();
      let given = 0;
      for (const codec of codecs) {
        const resource = { type: topicResource, name: fullName('dead-letters') };
        const configEntries = [{ name: 'compression.type', value: codec }];
        await admin.alterConfigs({ validateOnly: false, resources: [{ ...resource, configEntries }] });
        // The broker answers before the log has its new setting.
        await waitUntil(`a dead letter is compressed by ${codec}`, async () => {
          given += 1;
          await producer.send({ topic: fullName('webhooks.received'), messages: [{ value: `no webhook ${codec}` }] });
          const isThere = async (): Promise<boolean> => (await ask<object[]>('/dead-letters', '*')).length === given;
          await waitUntil(`the dead letter ${given} is read`, isThere);
          return (await codecsOn('dead-letters')).has(codec);
        });
      }
      await producer.disconnect();
      for (const name of topicNames)
        expect([name, [...(await codecsOn(name))].toSorted()]).toEqual([name, codecs.toSorted()]);
    }));

  it('are read as kcat compresses them', () =>
    pipeline.explain(async () => {
      const resource = { type: topicResource, name: fullName('webhooks.received') };
      const configEntries = [{ name: 'compression.type', value: 'producer' }];
      await admin.alterConfigs({ validateOnly: false, resources: [{ ...resource, configEntries }] });
      for (const codec of codecs) {
        const headers = Object.entries({
          [header.tenant]: 'default',
          [header.sourceId]: run.source.id,
          [header.receiptId]: `rcp_kcat_${codec}`,
          [header.receivedAt]: String(Date.now() * 1_000),
          [header.contentType]: 'application/json',
          [header.identifyBy]: '[{"pointer":"/id"}]',
          [header.typeBy]: '[{"pointer":"/type"}]',
          [header.dedupTtlSeconds]: '259200',
        }).flatMap(([name, value]) => ['-H', `${name}=${value}`]);
        const lines = Array.from({ length: 50 }, (_, n) =>
          JSON.stringify({ id: `${codec}-${n}`, type: 'kcat.sent', text: 'again '.repeat(100) }),
        );
        execFileSync(
          kcatProgram,
          [
            '-P',
            '-b',
            pipeline.stack.kafkaBrokers.join(),
            '-t',
            fullName('webhooks.received'),
            '-z',
            codec,
            ...headers,
          ],
          { input: lines.join('\n') },
        );
      }
      const expected = codecs.length * 50;
      await waitUntil(
        'all are events',
        async () => (await ask<object[]>('/events?type=kcat.sent&limit=1000', 'default')).length === expected,
      );
      expect(await ask<object[]>('/dead-letters?reason=undecodable_batch', '*')).toEqual([]);
    }));
});

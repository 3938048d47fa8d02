/** The steps of docs/runbook.md, Backup and restore, from the moment when the database has been put back. All services are stopped. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '#deploy/local/paths.ts';
import { type GroupName, groupOf, type TopicName, topicsOf } from '#lib/contract';
import { askPostgres } from '../../support/with-database.ts';
import type { KafkaOffsets } from '../../support/kafka-offsets.ts';
import type { Pipeline } from '../../support/pipeline.ts';
import { spawnHookline } from '../../support/run-hookline.ts';
import { type PipelineService, pipelineServices, type Stack } from '../../support/stack.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { areReadToTheEnd } from '../support/are-read-to-the-end.ts';

interface Restored {
  pipeline: Pick<Pipeline, 'stack' | 'setUp'>;
  offsets: KafkaOffsets;
  /** The database was put back to it. */
  instantMs: number;
  flushRedis(): Promise<unknown>;
  /** Starts all processes of these services. */
  start(services: readonly PipelineService[]): Promise<unknown>;
}

const hourMs = 3_600_000;
const caughtUpMs = 180_000;

/** The offsets that are reset, in each group. */
const setBack: readonly (readonly [GroupName, readonly TopicName[]])[] = [
  ['projector', ['events', 'duplicates', 'delivery.attempts', 'dead-letters']],
  ['dispatcher', ['deliveries']],
];

/** The change of the tables. */
const [, statement = ''] =
  /### Backup and restore[^]*?```sql\n([^]*?)```/.exec(readFileSync(join(root, 'docs/runbook.md'), 'utf8')) ?? [];

export async function recoverAsTheRunbookSays({ pipeline, offsets, instantMs, flushRedis, start }: Restored) {
  const { stack } = pipeline;
  await pipeline.setUp();
  await flushRedis();
  const topics = topicsOf(stack.topicPrefix);
  await Promise.all(
    setBack.map(async ([group, names]) => {
      for (const name of names)
        await offsets.reset(groupOf(stack.topicPrefix, group), topics[name], instantMs - hourMs);
    }),
  );
  await rebuildDedup(stack, instantMs - hourMs);
  await start(['projector']);
  const read = (setBack[0]?.[1] ?? []).map((name) => ['projector', name] as const);
  await waitUntil('the projector has caught up', () => areReadToTheEnd(offsets, stack.topicPrefix, read), {
    timeoutMs: caughtUpMs,
  });
  await askPostgres(stack.databaseUrl, statement);
  await start(pipelineServices.filter((name) => name !== 'projector'));
}

async function rebuildDedup({ kafkaBrokers, schemaRegistryUrl, topicPrefix, databaseUrl }: Stack, sinceMs: number) {
  const { code, stderr } = await spawnHookline(['rebuild', 'dedup', '--since', new Date(sinceMs).toISOString()], {
    env: {
      HOOKLINE_KAFKA_BROKERS: kafkaBrokers.join(','),
      HOOKLINE_SCHEMA_REGISTRY_URL: schemaRegistryUrl,
      HOOKLINE_TOPIC_PREFIX: topicPrefix,
      HOOKLINE_DATABASE_URL: databaseUrl,
    },
  });
  if (code !== 0) throw new Error(`rebuild dedup ended with ${code}: ${stderr}`);
}

import { randomUUID } from 'node:crypto';
import { systemClock } from '#lib/clock';
import { readSchema, topicsOf } from '#lib/contract';
import {
  findLostWaiting,
  hasNotEnded,
  isNotErased,
  restoreWaiting,
  type RestoredRow,
  run as runStatement,
} from '#lib/event-store';
import { countPartitions, createAttemptCodec, kafkaAccess, partitionOf, readTopic } from '#lib/kafka';
import { silentLogger } from '#lib/log';
import { createPostgres, postgresAccess, type Query } from '#lib/postgres';
import { usageFailure } from '../../command-failure.ts';
import { loadRebuildConfig } from '../../config.ts';
import { readTime } from '../../options/read-time.ts';
import { describe, print } from '../../output/print.ts';
import { createNewestSteps } from './newest-steps.ts';

const statementTimeoutMs = 30_000;
const rowsAtOnce = 500;

interface RebuildValues {
  since: string | undefined;
  'dry-run': boolean;
  json: boolean;
}

export async function rebuildWaiting(values: RebuildValues): Promise<number> {
  const sinceMs = readSince(values.since);
  const dryRun = values['dry-run'];
  const config = loadRebuildConfig();
  const topics = topicsOf(config.topicPrefix);
  const common = { clock: systemClock, log: silentLogger };
  const kafka = { ...kafkaAccess(config), ...common, clientId: 'hookline-rebuild' };
  const codec = createAttemptCodec({
    ...common,
    registryUrl: config.schemaRegistryUrl,
    topic: topics['delivery.attempts'],
    schema: readSchema('delivery.attempts'),
  });
  const postgres = createPostgres({
    ...postgresAccess(config),
    applicationName: 'hookline-rebuild',
    maxConnections: 1,
    statementTimeoutMs,
    log: silentLogger,
  });
  const parts = [codec, postgres];
  for (const part of parts) await part.start();
  try {
    const partitions = await countPartitions(kafka, topics.deliveries, common);
    const steps = createNewestSteps((endpointId) => partitionOf(endpointId, partitions));
    await readTopic({
      ...kafka,
      topic: topics['delivery.attempts'],
      groupId: `${config.topicPrefix}rebuild-${randomUUID()}`,
      sinceMs,
      async handle(records) {
        for (const { value } of records) {
          const record = await codec.decode(value);
          // The projector has refused it too, and written its dead letter.
          if (!('malformed' in record)) steps.take(record);
        }
      },
    });
    const rows = await inLots(steps.waiting(), (lot) =>
      runStatement(postgres, dryRun ? findLostWaiting : restoreWaiting, lot),
    );
    const ordered = await inLots(steps.ordered(), (lot) => withoutRow(postgres, lot));
    const counts = {
      dry_run: dryRun,
      deliveries: steps.count(),
      waiting: steps.waiting().length,
      restored: rows.length,
      without_event: rows.filter((row: RestoredRow) => !row.has_event).length,
      ordered_without_row: ordered.map(({ delivery_id }) => delivery_id),
    };
    print(counts, values.json, describe);
    return counts.without_event + ordered.length === 0 ? 0 : 1;
  } finally {
    for (const part of parts) await part.stop();
  }
}

function readSince(text: string | undefined): number | undefined {
  const time = readTime('since', text, systemClock.nowMs());
  if (time === undefined) return undefined;
  const ms = Date.parse(time);
  if (Number.isNaN(ms)) throw usageFailure(`--since must be a time or an age such as 12h, not ${text}`);
  return ms;
}

async function inLots<T, R>(items: readonly T[], work: (lot: readonly T[]) => Promise<R[]>): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += rowsAtOnce)
    results.push(...(await work(items.slice(from, from + rowsAtOnce))));
  return results;
}

/** Ordered deliveries that no row will send. */
const withoutRow = (
  postgres: Query,
  deliveries: readonly { tenant: string; delivery_id: string; event_id: string }[],
) =>
  postgres.query<{ delivery_id: string }>(
    `SELECT i.delivery_id
       FROM unnest($1::text[], $2::text[], $3::text[]) AS i (tenant, delivery_id, event_id)
       LEFT JOIN deliveries d ON d.tenant = i.tenant AND d.id = i.delivery_id
      WHERE (d.id IS NULL OR ${hasNotEnded('d.status')})
        AND NOT EXISTS (SELECT FROM waiting w WHERE w.tenant = i.tenant AND w.delivery_id = i.delivery_id)
        AND ${isNotErased('i.tenant', 'i.event_id')}`,
    [
      deliveries.map(({ tenant }) => tenant),
      deliveries.map(({ delivery_id }) => delivery_id),
      deliveries.map(({ event_id }) => event_id),
    ],
  );

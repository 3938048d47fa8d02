import { type AttemptRecord, isFinal, isWaiting } from '#lib/contract';
import {
  findLostWaiting,
  hasNotEnded,
  isNotErased,
  type RestoredRow,
  restoreWaiting,
  run as runStatement,
  type UnorderedWaitingRow,
} from '#lib/event-store';
import { countPartitions, createAttemptCodec, partitionOf } from '#lib/kafka';
import type { Query } from '#lib/postgres';
import { formatMicros } from '#lib/runtime';
import type { Context } from '../context.ts';
import { describe, print } from '../output/print.ts';
import { inLots, rebuild, type RebuildValues } from './rebuild-stores.ts';

/** The newest step of each delivery in `delivery.attempts`, in any order of its records. */
export interface NewestSteps {
  take(record: AttemptRecord): void;
  /** Waiting deliveries, except those below. */
  waiting(): UnorderedWaitingRow[];
  /** Deliveries that wait in an order with others. */
  ordered(): { tenant: string; delivery_id: string; event_id: string }[];
  /** All. */
  count(): number;
}

interface Newest {
  step: number;
  isFinal: boolean;
  waits: UnorderedWaitingRow | undefined;
  isOrdered: boolean;
}

/** @param partitionOf the partition of `deliveries` that an endpoint's key falls into */
export function createNewestSteps(partitionOf: (endpointId: string) => number): NewestSteps {
  const newest = new Map<string, Newest>();

  return {
    take(record) {
      if (record.kind === 'fanned_out') return;
      const { tenant, delivery_id: id, endpoint_id: endpointId, step, status, created_at: createdAt } = record;
      const key = `${tenant}\0${id}`;
      const known = newest.get(key);
      // An end is final, even if it comes in a lower step: the delivery was sent twice.
      const hasEnded = isFinal(status);
      if (known !== undefined && (known.isFinal || (known.step >= step && !hasEnded))) return;
      const waits: UnorderedWaitingRow | undefined = isWaiting(status)
        ? {
            tenant,
            delivery_id: id,
            partition: partitionOf(endpointId),
            endpoint_id: endpointId,
            event_id: record.event_id,
            generation: record.generation,
            state: status,
            // A parked delivery is due since its creation, as in the projector.
            due_at: formatMicros(record.next_attempt_at ?? createdAt),
            step,
            attempts: record.attempt,
            created_at: formatMicros(createdAt),
          }
        : undefined;
      newest.set(key, { step, isFinal: hasEnded, waits, isOrdered: record.ordering_key !== null });
    },
    waiting: () => [...newest.values()].flatMap(({ waits, isOrdered }) => (waits && !isOrdered ? [waits] : [])),
    ordered: () =>
      [...newest.values()].flatMap(({ waits, isOrdered }) =>
        waits && isOrdered ? [{ tenant: waits.tenant, delivery_id: waits.delivery_id, event_id: waits.event_id }] : [],
      ),
    count: () => newest.size,
  };
}

export function rebuildWaiting(values: RebuildValues, context: Context): Promise<number> {
  const dryRun = values['dry-run'];
  return rebuild<AttemptRecord | { malformed: string }>(values, context, {
    topic: 'delivery.attempts',
    createCodec: createAttemptCodec,
    async work({ postgres, kafka, topics, read }) {
      const partitions = await countPartitions(kafka, topics.deliveries, kafka);
      const steps = createNewestSteps((endpointId) => partitionOf(endpointId, partitions));
      await read(async (records) => {
        // The projector has refused malformed ones too, and written their dead letters.
        for (const record of records) if (!('malformed' in record)) steps.take(record);
      });
      const waiting = steps.waiting();
      const rows = await inLots(waiting, (lot) =>
        runStatement(postgres, dryRun ? findLostWaiting : restoreWaiting, lot),
      );
      const ordered = await inLots(steps.ordered(), (lot) => withoutRow(postgres, lot));
      const counts = {
        dry_run: dryRun,
        deliveries: steps.count(),
        waiting: waiting.length,
        restored: rows.length,
        without_event: rows.filter((row: RestoredRow) => !row.has_event).length,
        ordered_without_row: ordered.map(({ delivery_id }) => delivery_id),
      };
      print(context, counts, values.json, describe);
      return counts.without_event + ordered.length === 0 ? 0 : 1;
    },
  });
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

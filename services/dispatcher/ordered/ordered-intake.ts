/**
 * Takes in ordered deliveries. Each is sent from its record only if its key has no row; otherwise it becomes a row itself, after them. Only
 * Postgres knows, so while that is away they queue here, and other deliveries of their partition do not. If the queue is full, the
 * partition pauses.
 *
 * Reports how far each partition was taken in: a row may be sent only after every earlier record was seen, because an earlier owner may
 * have left one undone.
 */
import type { Delivery } from '#lib/contract';
import type { IncomingRecord } from '#lib/kafka';
import { isAppError, toAppError, type WaitOut } from '#lib/runtime';
import type { EndpointDirectory } from '../endpoints/endpoint-directory.ts';
import type { Scheduler } from '../lanes/scheduler.ts';
import { isAbandoned, laneKey, type RecordJob } from '../model/job.ts';
import { orderingKeyOf } from '../model/ordering.ts';
import type { OwnedPartitions } from '../model/owned-partitions.ts';
import type { RecentSteps } from '../model/recent-steps.ts';
import type { OutcomeWriter } from '../send/outcome-writer.ts';
import type { OrderedRows } from './ordered-rows.ts';
import type { AskedDelivery, Place } from './ordered-table.ts';

export interface TakenRecord {
  record: IncomingRecord;
  delivery: Delivery;
}

export interface OrderedIntake {
  /** The next records of some partitions, and the ordered ones among them. Resolves when there is room for more. */
  push(records: readonly IncomingRecord[], ordered: readonly TakenRecord[]): Promise<void>;
}

interface Deps {
  directory: Pick<EndpointDirectory, 'get' | 'refresh'>;
  scheduler: Pick<Scheduler, 'offer' | 'held'>;
  recentSteps: Pick<RecentSteps, 'has'>;
  outcomes: Pick<OutcomeWriter, 'parked'>;
  orderedRows: Pick<OrderedRows, 'placesOf'>;
  owned: Pick<OwnedPartitions, 'markTakenBelow'>;
  waitOut: WaitOut;
  onFailure(error: Error): void;
}

interface Batch {
  partition: number;
  ordered: readonly TakenRecord[];
  upTo: bigint;
  signal: AbortSignal;
}

/** The queue of one assignment of a partition. */
interface Line {
  batches: Batch[];
  records: number;
  working: boolean;
  /** Resolved when there is room again. */
  room: PromiseWithResolvers<void> | undefined;
}

const firstStep = 1;
const maxQueued = 2_000;
/** An ordering key that no row has. */
const noKey = '';

export function createOrderedIntake(deps: Deps): OrderedIntake {
  const { directory, scheduler, outcomes } = deps;
  const lines = new WeakMap<AbortSignal, Line>();

  async function workOff(line: Line): Promise<void> {
    if (line.working) return;
    line.working = true;
    for (let batch = line.batches.shift(); batch !== undefined; batch = line.batches.shift()) {
      await takeIn(batch).catch((error: unknown) => {
        // Its partition was lost, or the process stops: the next owner takes it in.
        if (!isAppError(error, 'stopped')) deps.onFailure(toAppError(error));
      });
      line.records -= batch.ordered.length;
      if (line.records < maxQueued) line.room?.resolve();
    }
    line.working = false;
  }

  async function takeIn({ partition, ordered, upTo, signal }: Batch): Promise<void> {
    if (ordered.length > 0) await takeInOrdered(partition, ordered, signal);
    deps.owned.markTakenBelow(partition, upTo, signal);
  }

  async function takeInOrdered(partition: number, ordered: readonly TakenRecord[], signal: AbortSignal): Promise<void> {
    const isUnknown = ({ delivery }: TakenRecord): boolean =>
      directory.get(delivery.tenant, delivery.endpointId) === undefined;
    if (ordered.some(isUnknown)) await deps.waitOut(directory.refresh, signal);

    const jobs = ordered.map(({ record, delivery }) => jobOf(record, delivery, partition));
    const places = await deps.orderedRows.placesOf(jobs.map(askedOf), () => !signal.aborted);
    // No `await` from here to the end of the loop: the answers about the keys stay valid.
    const parked: Promise<void>[] = [];
    const behindParked = new Set<string>();
    for (const [at, job] of jobs.entries()) {
      const key = job.order && `${laneKey(job.delivery)}/${job.order.key}`;
      const place = places[at] ?? { known: false, blocked: true };
      const blocked = place.blocked || (key !== undefined && behindParked.has(key));
      if (take(job, { ...place, blocked }) !== 'full') continue;
      if (key !== undefined) behindParked.add(key);
      parked.push(outcomes.parked(job));
    }
    await Promise.all(parked);
  }

  /** `full`: it has to become a row. */
  function take(job: RecordJob, { known, blocked }: Place): 'taken' | 'full' {
    const { delivery, claims } = job;
    const held = scheduler.held(delivery);
    if (known || deps.recentSteps.has(delivery, firstStep) || held?.from === 'row') {
      for (const record of claims) record.done();
      return 'taken';
    }
    // A job left over from a lost partition may have been overtaken by rows of the owner in between.
    if (held !== undefined && !(blocked && isAbandoned(held))) {
      held.claims.push(...claims);
      return 'taken';
    }
    if (blocked) return 'full';
    // 'stopping' leaves it undone, for the successor.
    return scheduler.offer(job) === 'full' ? 'full' : 'taken';
  }

  return {
    async push(records, ordered) {
      const lasts = new Map(records.map((record) => [record.partition, record]));
      const byPartition = Map.groupBy(ordered, ({ record }) => record.partition);
      await Promise.all(lasts.values().map((last) => pushOne(last, byPartition.get(last.partition) ?? [])));
    },
  };

  /** @param last of the partition's */
  async function pushOne(
    { partition, offset, signal }: IncomingRecord,
    ordered: readonly TakenRecord[],
  ): Promise<void> {
    const line = lines.get(signal) ?? { batches: [], records: 0, working: false, room: undefined };
    lines.set(signal, line);
    line.batches.push({ partition, ordered, upTo: offset + 1n, signal });
    line.records += ordered.length;
    void workOff(line);
    if (line.records < maxQueued) return;
    line.room = Promise.withResolvers();
    await line.room.promise;
  }

  function jobOf(record: IncomingRecord, delivery: Delivery, partition: number): RecordJob {
    const key = orderingKeyOf(directory.get(delivery.tenant, delivery.endpointId), delivery);
    const order = key === undefined ? undefined : { key, sequence: record.offset, partition };
    return { from: 'record', delivery, order, step: firstStep, attempts: 0, claims: [record] };
  }

  /** An endpoint that was not known may turn out to have no order. */
  function askedOf({ delivery, order, claims: [record] }: RecordJob): AskedDelivery {
    const { tenant, id, endpointId } = delivery;
    const { offset = 0n, partition = 0 } = record ?? {};
    return { tenant, id, endpointId, order: order ?? { key: noKey, sequence: offset, partition } };
  }
}

import { type Delivery, parseDelivery } from '#lib/contract';
import type { ErasedEvents } from '#lib/erasure';
import type { IncomingRecord, RecordHandler } from '#lib/kafka';
import { type Clock, isAppError, type Logger, toAppError } from '#lib/runtime';
import type { EndpointDirectory } from '../endpoints/endpoint-directory.ts';
import type { Scheduler } from '../lanes/scheduler.ts';
import { deliveryKey, type RecordJob } from '../model/job.ts';
import type { Lag } from '../model/lag.ts';
import { orderingKeyOf } from '../model/ordering.ts';
import type { OwnedPartitions } from '../model/owned-partitions.ts';
import type { RecentSteps } from '../model/recent-steps.ts';
import type { OrderedIntake, TakenRecord } from '../ordered/ordered-intake.ts';
import type { OutcomeWriter } from '../send/outcome-writer.ts';
import type { KnownDeliveries } from './known-deliveries.ts';

interface Deps {
  directory: Pick<EndpointDirectory, 'get' | 'refresh' | 'recent'>;
  scheduler: Pick<Scheduler, 'offer' | 'held'>;
  recentSteps: Pick<RecentSteps, 'has'>;
  outcomes: Pick<OutcomeWriter, 'parked' | 'malformed' | 'ended'>;
  erased: Pick<ErasedEvents, 'among' | 'hasTenant'>;
  onDropped(tenant: string): void;
  knownDeliveries: KnownDeliveries;
  orderedIntake: OrderedIntake;
  lag: Pick<Lag, 'taken'>;
  owned: Pick<OwnedPartitions, 'mayHaveHadAnother'>;
  clock: Clock;
  log: Logger;
}

const firstStep = 1;
/** Pause after a question that Postgres did not answer. */
const askAgainAfterMs = 5_000;

/**
 * Takes deliveries from Kafka into the lanes. It never waits for an endpoint: a delivery without room is parked, at the speed of Kafka.
 *
 * Records that were on the topic when this process got their partition may have been sent by an earlier owner that did not commit them.
 * Deliveries that the tables know resume from there, as a row or not at all; if Postgres is away they are sent, at least once.
 *
 * Deliveries of events that were erased end here; those of a deleted tenant are dropped and counted.
 *
 * Ordered deliveries take a separate path (ordered-intake.ts): they may wait for Postgres, and delay no others.
 */
export function createIntake(deps: Deps): RecordHandler {
  const { directory, scheduler, recentSteps, outcomes, clock } = deps;
  let askFromMs = Number.NEGATIVE_INFINITY;

  const isUnknown = ({ tenant, endpointId }: Delivery): boolean => directory.get(tenant, endpointId) === undefined;

  /** True also if it may be: its endpoint is not known yet. */
  const isInOrder = (delivery: Delivery, canDecide: boolean): boolean =>
    orderingKeyOf(directory.get(delivery.tenant, delivery.endpointId), delivery) !== undefined ||
    (delivery.orderingKey !== null && isUnknown(delivery) && !canDecide);

  /** Whether the directory is up to date for these endpoints: an unknown one may be new. */
  async function directoryKnows(deliveries: readonly Delivery[]): Promise<boolean> {
    if (!deliveries.some(isUnknown)) return true;
    try {
      await directory.refresh();
      return true;
    } catch (error) {
      if (isAppError(error) && error.retryable) return false;
      throw error;
    }
  }

  async function knownAmong(taken: readonly TakenRecord[]): Promise<ReadonlySet<string>> {
    const inDoubt = taken.filter(({ record, delivery }) =>
      deps.owned.mayHaveHadAnother(record.partition, record.offset, delivery.createdAt),
    );
    if (inDoubt.length === 0 || clock.monotonicMs() < askFromMs) return new Set();
    try {
      return await deps.knownDeliveries.among(inDoubt.map(({ delivery }) => delivery));
    } catch (thrown) {
      const error = toAppError(thrown);
      if (!error.retryable) throw error;
      deps.log.warn({ event: 'deliveries.not_looked_up', deliveries: inDoubt.length, err: error });
      askFromMs = clock.monotonicMs() + askAgainAfterMs;
      return new Set();
    }
  }

  /** As far as they can be looked up: the lanes ask again what was erased lately. */
  async function erasedAmong(taken: readonly TakenRecord[]): Promise<ReadonlySet<TakenRecord>> {
    const dated = taken.map((one) => {
      const { tenant, eventId: event_id, createdAt: since } = one.delivery;
      return { tenant, event_id, since, one };
    });
    try {
      return new Set([...(await deps.erased.among(dated, 'remember'))].map(({ one }) => one));
    } catch (thrown) {
      const error = toAppError(thrown);
      if (!error.retryable) throw error;
      deps.log.warn({ event: 'erased.not_looked_up', deliveries: taken.length, err: error });
      return new Set();
    }
  }

  async function endErased({ record, delivery }: TakenRecord): Promise<void> {
    if (deps.erased.hasTenant(delivery.tenant)) {
      deps.onDropped(delivery.tenant);
      record.done();
      return;
    }
    await outcomes.ended(jobOf(record, delivery), { status: 'cancelled', reason: 'event_erased' });
  }

  /** @returns what is to be waited for: nothing, as a rule */
  function take(
    { record, delivery }: TakenRecord,
    known: ReadonlySet<string>,
    canDecide: boolean,
  ): Promise<void> | undefined {
    // On the topic twice, or handed out again: its outcome is durable, or will be soon.
    const isKnown = known.size > 0 && known.has(deliveryKey(delivery));
    const held = scheduler.held(delivery);
    if (isKnown || recentSteps.has(delivery, firstStep) || held?.from === 'row') record.done();
    else if (held !== undefined) held.claims.push(record);
    else {
      const job = jobOf(record, delivery);
      // Unknown, and Postgres is away: parked until the endpoint can be looked up. 'stopping' leaves it undone, for the successor.
      if ((isUnknown(delivery) && !canDecide) || scheduler.offer(job) === 'full') return outcomes.parked(job);
    }
    return undefined;
  }

  return async (records) => {
    const parsed = records.map((record) => ({ record, delivery: parseDelivery(record.headers, record.value) }));
    const readable = parsed.filter((one): one is TakenRecord => !('malformed' in one.delivery));
    const reading = directory.recent();
    const erased = await erasedAmong(readable);
    if (reading !== undefined) await reading;
    const taken = readable.filter((one) => !erased.has(one));
    for (const { record, delivery } of taken) deps.lag.taken(record, delivery);
    const malformed = parsed.flatMap(({ record, delivery }) =>
      'malformed' in delivery ? [{ record, problem: delivery.malformed }] : [],
    );
    const canDecide = await directoryKnows(taken.map(({ delivery }) => delivery));
    const [ordered, unordered]: [TakenRecord[], TakenRecord[]] = [[], []];
    for (const one of taken) (isInOrder(one.delivery, canDecide) ? ordered : unordered).push(one);
    const known = await knownAmong(unordered);
    await Promise.all([
      ...malformed.map(({ record, problem }) => outcomes.malformed(record, problem)),
      ...[...erased].map(endErased),
      ...unordered.map((one) => take(one, known, canDecide)).filter((wait) => wait !== undefined),
      deps.orderedIntake.push(records, ordered),
    ]);
  };
}

const jobOf = (record: IncomingRecord, delivery: Delivery): RecordJob => ({
  from: 'record',
  delivery,
  order: undefined,
  step: firstStep,
  attempts: 0,
  claims: [record],
});

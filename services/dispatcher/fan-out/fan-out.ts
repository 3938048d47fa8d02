/**
 * Fans out the events that were not fanned out when they were published (#lib/fan-out): an event that is wide, one of a version from before,
 * a dead letter that was replayed. It writes the set of the event's deliveries, and the deliveries, in one round:
 *
 *   an event ──┬─► the set, on `delivery.attempts`      ── refused: dead letter of the event
 *              └─► one record for each on `deliveries`  ── refused: dead letter of the delivery, which has ended
 *                       all acknowledged ──► done
 *
 * An outcome may so be known before its set is: the event's status waits for the set. A repetition after a crash writes the same ids again: they
 * are a function of the event, the endpoint and the generation. The set is written where it is empty too: it completes the event.
 *
 * An event that was erased, or whose tenant was deleted, is passed over.
 *
 * Events are planned until they have ten thousand deliveries together, and written before more are. An event that takes long, because it is
 * for very many endpoints or has very much to be matched, is set aside: its tenant's events wait for it, as an ordering key may want it, and
 * nobody else's do. A record that Kafka refuses is not tried for ever: the partition would stand still for everybody.
 */
import { type Delivery, type EventRecord, header, type Topics } from '#lib/contract';
import type { BuryRecord } from '#lib/dead-letters';
import type { ErasedEvents } from '#lib/erasure';
import { deliveryIdOf, deliveryOf, type MatchEndpoints, recordOfDelivery } from '#lib/fan-out';
import type { IncomingRecord, RecordHandler } from '#lib/kafka';
import { type Clock, type CrashPoints, inTurns, type Logger, nowMicros, type WaitOut } from '#lib/runtime';
import { attribute, traceIdOf } from '#lib/telemetry';
import type { EndpointDirectory } from '../endpoints/endpoint-directory.ts';
import type { DispatcherMetrics } from '../metrics.ts';
import type { Endpoint } from '../model/endpoint.ts';
import { orderingKeyOf } from '../model/ordering.ts';
import { forEachLimited, type Publication, publishAll } from '../publishing/publish-all.ts';
import type { Offer } from '../publishing/publish.ts';
import { type EndRefused, refusedByKafka } from './end-refused.ts';
import { mayTakeLong } from './may-take-long.ts';
import { createReadEvent } from './read-event.ts';
import type { SetAside } from './set-aside.ts';
import type { WriteSet } from './write-set.ts';

interface Deps {
  directory: Pick<EndpointDirectory, 'candidates' | 'suffices' | 'readForFanOut'>;
  setAside: SetAside;
  matchEndpoints: MatchEndpoints<Endpoint>;
  erased: Pick<ErasedEvents, 'among' | 'hasTenant'>;
  onDropped(tenant: string): void;
  decodeEvent(bytes: Buffer): Promise<EventRecord>;
  writeSet: WriteSet;
  buryEvent: BuryRecord;
  offer: Offer;
  endRefused: EndRefused;
  waitOut: WaitOut;
  topics: Topics;
  clock: Clock;
  crashPoints: CrashPoints;
  metrics: DispatcherMetrics;
  log: Logger;
}

/** Records that wait for their acknowledgment at once: enough to fill batches, few enough to leave the producer room for others. */
const maxUnacknowledged = 500;
/** Planned at once, unless one event alone has more: some megabytes. */
const maxPlannedDeliveries = 10_000;
/** Ids computed before others have their turn: a few milliseconds. */
const idsPerTurn = 1_000;

interface Plan {
  record: IncomingRecord;
  event: EventRecord;
  deliveries: { id: string; endpoint: Endpoint }[];
}

interface PlannedDelivery extends Publication {
  delivery: Delivery;
}

export function createFanOut(deps: Deps): RecordHandler {
  const { directory, matchEndpoints, buryEvent, offer, waitOut, topics, crashPoints } = deps;
  const readEvent = createReadEvent(deps);
  const takesLong = (event: EventRecord): boolean => mayTakeLong(event, directory.candidates(event));

  /** @param readAtMs when the record was read */
  async function planOf(
    { record, event, readAtMs }: { record: IncomingRecord; event: EventRecord; readAtMs: number },
    signal: AbortSignal,
  ): Promise<Plan> {
    if (!directory.suffices(event, readAtMs)) await waitOut(directory.readForFanOut, signal);
    const deliveries: Plan['deliveries'] = [];
    for await (const some of inTurns(await matchEndpoints(event, directory.candidates(event)), idsPerTurn))
      for (const endpoint of some) deliveries.push({ id: deliveryIdOf(event, endpoint.id), endpoint });
    return { record, event, deliveries };
  }

  /** Writes the set. @returns whether it stands there; else the event's dead letter does */
  async function announce({ record, event, deliveries }: Plan, signal: AbortSignal): Promise<boolean> {
    const set = {
      tenant: event.tenant,
      eventId: event.id,
      generation: 0,
      traceparent: record.headers[header.traceparent],
      deliveries: deliveries.map(({ id, endpoint }) => ({ delivery_id: id, endpoint_id: endpoint.id })),
    };
    const refused = await deps.writeSet(set, signal);
    if (refused !== undefined) {
      const logged = { eventId: event.id, tenant: event.tenant, err: refused };
      await buryEvent(record, { reason: refusedByKafka, attempts: 0, logged }, signal);
    }
    return refused === undefined;
  }

  async function write(plans: readonly Plan[], signal: AbortSignal): Promise<void> {
    crashPoints.reach('fan-out.before-set');
    const announced = new Set(plans);
    const announcing = forEachLimited(plans, maxUnacknowledged, async (plan) => {
      if (!(await announce(plan, signal))) announced.delete(plan);
    }).then(() => crashPoints.reach('fan-out.after-set'));
    const publishing = publishAll(plans.values().flatMap(deliveriesOf), {
      limit: maxUnacknowledged,
      publish: async ({ record, delivery }) => {
        const refused = await offer(record, signal);
        if (refused !== undefined) await deps.endRefused(delivery, signal);
      },
    });
    // Both run to their ends, also where one fails: nothing goes on behind the caller's back.
    await Promise.allSettled([announcing, publishing]);
    await Promise.all([announcing, publishing]);
    crashPoints.reach('fan-out.after-deliveries');
    announced.forEach(end);
  }

  function end({ record, event, deliveries }: Plan): void {
    const { id: eventId, tenant } = event;
    if (deps.log.isOn('debug')) {
      const traceId = traceIdOf(record.headers[header.traceparent]);
      deps.log.debug({ event: 'event.fanned_out', tenant, eventId, deliveries: deliveries.length, traceId });
    }
    record.span?.set({ [attribute.tenant]: tenant, [attribute.eventId]: eventId });
    record.done();
  }

  function* deliveriesOf({ record, event, deliveries }: Plan): Iterable<PlannedDelivery> {
    const circumstances = { createdAt: nowMicros(deps.clock), traceparent: record.headers[header.traceparent] };
    for (const { endpoint } of deliveries) {
      const delivery = deliveryOf(event, endpoint.id, { ...circumstances, passHeaders: endpoint.passHeaders });
      const key = orderingKeyOf(endpoint, delivery);
      yield {
        record: recordOfDelivery(topics.deliveries, delivery),
        order: key && `${endpoint.id}/${key}`,
        delivery,
      };
    }
  }

  /** Beside its partition, for as long as that is ours. */
  async function fanOutAside(record: IncomingRecord, event: EventRecord): Promise<void> {
    const { signal } = record;
    try {
      signal.throwIfAborted();
      await write([await planOf({ record, event, readAtMs: deps.clock.monotonicMs() }, signal)], signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Ends their records. */
  async function erasedAmong(
    events: readonly (EventRecord | undefined)[],
    records: readonly IncomingRecord[],
    signal: AbortSignal,
  ): Promise<ReadonlySet<EventRecord>> {
    const dated = events.flatMap((event, at) => {
      if (event === undefined) return [];
      const { tenant, id: event_id, received_at: since } = event;
      return { tenant, event_id, since, event, record: records[at] };
    });
    const erased = await waitOut(() => deps.erased.among(dated), signal);
    for (const { tenant, record } of erased) {
      if (deps.erased.hasTenant(tenant)) deps.onDropped(tenant);
      record?.done();
    }
    return new Set([...erased].map(({ event }) => event));
  }

  return async (records, signal) => {
    const readAtMs = deps.clock.monotonicMs();
    const events = await Promise.all(records.map((record) => readEvent(record, signal)));
    const erased = await erasedAmong(events, records, signal);
    const aside: { record: IncomingRecord; event: EventRecord }[] = [];
    const tenantsAside = new Set<string>();
    let plans: Plan[] = [];
    let planned = 0;
    for (const [index, record] of records.entries()) {
      const event = events[index];
      if (event === undefined || erased.has(event)) continue;
      if (tenantsAside.has(event.tenant) || deps.setAside.has(event.tenant) || takesLong(event)) {
        aside.push({ record, event });
        tenantsAside.add(event.tenant);
        continue;
      }
      const plan = await planOf({ record, event, readAtMs }, signal);
      plans.push(plan);
      planned += plan.deliveries.length;
      if (planned < maxPlannedDeliveries) continue;
      await write(plans, signal);
      plans = [];
      planned = 0;
    }
    if (plans.length > 0) await write(plans, signal);
    // Only once earlier events of the same tenants are written.
    for (const { record, event } of aside) deps.setAside.add(event.tenant, () => fanOutAside(record, event));
  };
}

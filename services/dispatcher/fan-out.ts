/**
 * Writes, for each event, the set of its deliveries, and the deliveries. In this order, each acknowledged before the next:
 *
 *   the set, on `delivery.attempts`  ──►  one record for each on `deliveries`  ──►  the event is done
 *
 * so that no delivery is under way that its event's status does not wait for. A repetition after a crash writes the same ids again: they
 * are a function of the event, the endpoint and the generation. The set is written where it is empty too: it completes the event.
 *
 * An event is matched against a directory that was read when every endpoint that it may belong to could be seen: an endpoint gets what
 * was accepted `endpointSettlingMs` after its creation, and the directory is younger than that, less what a commit may take.
 */
import type { WaitOut } from '#lib/backoff';
import type { Clock } from '#lib/clock';
import {
  type AttemptRecord,
  deadLetterHeaders,
  deliveryHeaders,
  endpointSettlingMs,
  type EventRecord,
  header,
  isForAnother,
  problemOfEvent,
  type Topics,
  traceHeaders,
} from '#lib/contract';
import type { CrashPoints } from '#lib/crash-points';
import { AppError, isAppError } from '#lib/errors';
import { derivedId } from '#lib/ids';
import { type IncomingRecord, originOf, type OutgoingRecord, type RecordHandler } from '#lib/kafka';
import type { Logger } from '#lib/log';
import { attribute, traceIdOf } from '#lib/telemetry';
import type { Endpoint } from './endpoint.ts';
import type { EndpointDirectory } from './endpoint-directory.ts';
import { type DeliverySet, fannedOut } from './fanned-out.ts';
import { forEachLimited } from './for-each-limited.ts';
import { matchEndpoints } from './match-endpoints.ts';
import type { DispatcherMetrics } from './metrics.ts';
import { orderingKeyOf } from './ordering.ts';
import type { Publish } from './publish.ts';
import { type Publication, publishAll } from './publish-all.ts';

interface Deps {
  directory: Pick<EndpointDirectory, 'candidates' | 'ageMs' | 'refresh'>;
  decodeEvent(bytes: Buffer): Promise<EventRecord>;
  encodeAttempt(record: AttemptRecord): Buffer;
  publish: Publish;
  waitOut: WaitOut;
  topics: Topics;
  clock: Clock;
  crashPoints: CrashPoints;
  metrics: DispatcherMetrics;
  log: Logger;
}

/** Until an endpoint that was created is committed and can be read. */
const commitMs = 1_000;
const maxDirectoryAgeMs = endpointSettlingMs - commitMs;
/** Records that wait for their acknowledgment at once: enough to fill batches, few enough to leave the producer room for others. */
const maxUnacknowledged = 500;
/** Events come for the first time; a replay is a generation of its own. */
const generation = 0;

interface Plan {
  record: IncomingRecord;
  event: EventRecord;
  deliveries: { id: string; endpoint: Endpoint }[];
}

export function createFanOut(deps: Deps): RecordHandler {
  const { directory, publish, waitOut, topics, crashPoints } = deps;
  const encodeSet = (set: DeliverySet): Buffer => deps.encodeAttempt(fannedOut(set));
  const nowMicros = (): number => Math.round(deps.clock.nowMs() * 1_000);

  /** Undefined for a record that is no event: its letter is written by then. */
  async function readEvent(record: IncomingRecord, signal: AbortSignal): Promise<EventRecord | undefined> {
    try {
      const event = await waitOut(() => deps.decodeEvent(record.value), signal);
      const problem = problemOfEvent(event);
      if (problem !== undefined) throw new AppError('data_invalid', problem);
      return event;
    } catch (error) {
      if (!isAppError(error, 'data_invalid')) throw error;
      await bury(record, error, signal);
      return undefined;
    }
  }

  async function bury(record: IncomingRecord, error: Error, signal: AbortSignal): Promise<void> {
    const origin = record.headers[header.origin] || originOf(record);
    const reason = 'malformed_record';
    deps.log.error({
      event: 'event.unreadable',
      origin,
      traceId: traceIdOf(record.headers[header.traceparent]),
      err: error,
    });
    const facts = deadLetterHeaders({ stage: 'fan-out', reason, attempts: 0, origin, at: nowMicros() });
    const headers = { ...record.rawHeaders, ...facts };
    await publish({ topic: topics['dead-letters'], key: record.key, value: record.value, headers }, signal);
    deps.metrics.deadLettered('fan-out', reason);
    record.span?.fail(reason);
    record.done();
  }

  async function planOf(record: IncomingRecord, event: EventRecord): Promise<Plan> {
    const atMs = Math.floor(event.received_at / 1_000);
    const endpoints = await matchEndpoints(event, directory.candidates(event));
    const deliveries = endpoints.map((endpoint) => ({
      id: derivedId('dlv', atMs, [event.id, endpoint.id, String(generation)]),
      endpoint,
    }));
    return { record, event, deliveries };
  }

  function setOf({ record, event, deliveries }: Plan): OutgoingRecord {
    const value = encodeSet({
      tenant: event.tenant,
      event_id: event.id,
      generation,
      at: nowMicros(),
      deliveries: deliveries.map(({ id, endpoint }) => ({ delivery_id: id, endpoint_id: endpoint.id })),
    });
    const headers = traceHeaders(record.headers[header.traceparent]);
    return { topic: topics['delivery.attempts'], key: event.id, value, headers };
  }

  function end({ record, event, deliveries }: Plan): void {
    const { id: eventId, tenant } = event;
    const traceId = traceIdOf(record.headers[header.traceparent]);
    deps.log.debug({ event: 'event.fanned_out', tenant, eventId, deliveries: deliveries.length, traceId });
    record.span?.set({ [attribute.tenant]: tenant, [attribute.eventId]: eventId });
    record.done();
  }

  function* deliveriesOf({ record, event, deliveries }: Plan): Iterable<Publication> {
    const createdAt = nowMicros();
    for (const { id, endpoint } of deliveries) {
      const headers = deliveryHeaders({
        id,
        tenant: event.tenant,
        eventId: event.id,
        eventType: event.type,
        endpointId: endpoint.id,
        generation,
        createdAt,
        receivedAt: event.received_at,
        orderingKey: event.ordering_key,
        contentType: event.content_type,
        traceparent: record.headers[header.traceparent] ?? '',
      });
      const key = orderingKeyOf(endpoint, { orderingKey: event.ordering_key });
      yield {
        record: { topic: topics.deliveries, key: endpoint.id, value: event.payload, headers },
        order: key && `${endpoint.id}/${key}`,
      };
    }
  }

  return async (given, signal) => {
    const { mine: records = [], others = [] } = Object.groupBy(given, ({ headers }) =>
      isForAnother(headers, 'fan-out') ? 'others' : 'mine',
    );
    for (const record of others) record.done();
    const events = await Promise.all(records.map((record) => readEvent(record, signal)));
    if (directory.ageMs() >= maxDirectoryAgeMs) await waitOut(directory.refresh, signal);
    const plans: Plan[] = [];
    for (const [index, record] of records.entries()) {
      const event = events[index];
      if (event !== undefined) plans.push(await planOf(record, event));
    }

    crashPoints.reach('fan-out.before-set');
    await forEachLimited(plans.map(setOf), maxUnacknowledged, (set) => publish(set, signal));
    crashPoints.reach('fan-out.after-set');
    await publishAll(plans.values().flatMap(deliveriesOf), { publish, limit: maxUnacknowledged, signal });
    crashPoints.reach('fan-out.after-deliveries');
    plans.forEach(end);
  };
}

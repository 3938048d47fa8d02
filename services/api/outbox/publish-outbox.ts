/**
 * Publishes events from the outbox to their topic:
 *
 *   POST /events: event and row committed ─► claimed, for a time ─► on the topic, acknowledged ─► the row is removed
 *
 * A narrow event is sent together with its deliveries, as in dedup (#lib/fan-out).
 *
 * Every process of the API publishes the rows of all: at once after its own commit, otherwise within about a second. The claim of a process
 * that dies expires; then the event is published again under the same id.
 *
 * One process at a time publishes the events of an ordering key, each after the previous one is acknowledged, because an unacknowledged
 * record may end up after later ones. A process that was paused beyond its claim may repeat the one event that it was about to send.
 *
 * If Kafka or the registry is away, rows wait, and nothing is lost. If Postgres is away, nothing can be published or read.
 */
import { type Clock, microsOf } from '#lib/clock';
import type { EventRecord } from '#lib/contract';
import type { CrashPoints } from '#lib/crash-points';
import { type AppError, toAppError } from '#lib/errors';
import { createStepBudget, type PublishEvent, type StepBudget } from '#lib/fan-out';
import type { RecordProducer } from '#lib/kafka';
import { createPart, type Part } from '#lib/lifecycle';
import type { Logger } from '#lib/log';
import { traceIdOf } from '#lib/telemetry';
import { type ClaimedEvent, claimSeconds, type KeyCursor, type OutboxEvent, type OutboxTable } from './outbox-table.ts';

export interface OutboxDeps {
  table: OutboxTable;
  producer: Pick<RecordProducer, 'send'>;
  /** Resolves once the registry knows the schema; publishes as dedup does. @throws AppError registry_unavailable */
  openPublisher(): Promise<PublishEvent>;
  crashPoints: CrashPoints;
  /** Called every few seconds. */
  onMeasured(measured: { unpublished: number; oldestSeconds: number }): void;
  clock: Clock;
  log: Logger;
}

export interface Outbox extends Part {
  /** There is something to publish. */
  wake(): void;
}

/** In a round, of each kind: the largest payloads would be 128 MiB. */
const claimedAtOnce = 64;
/** Time for the events of one ordering key, published one after the other; the rest of the round waits for them. */
const runMs = 250;
const sendTimeoutMs = 10_000;
/** Interval for rows of other processes and failed ones. */
const everyMs = 1_000;
const measureEveryMs = 5_000;
/** No record is sent that might be acknowledged after the claim's end. */
const sendsEndAfterMs = claimSeconds * 1_000 - sendTimeoutMs - 5_000;

export function createOutbox(deps: OutboxDeps): Outbox {
  const { table, producer, crashPoints, onMeasured, clock, log } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  let running: Promise<void> = Promise.resolve();
  let isWoken = false;
  let wakeUp = (): void => undefined;
  let cursor: KeyCursor | undefined;
  let measuredAtMs = Number.NEGATIVE_INFINITY;

  const send = (record: Parameters<RecordProducer['send']>[0]) => producer.send(record, sendTimeoutMs);
  const wake = (): void => {
    isWoken = true;
    wakeUp();
  };

  async function claim(): Promise<ClaimedEvent[]> {
    const [unordered, ordered] = await Promise.all([
      table.claimUnordered(claimedAtOnce),
      table.claimOrdered(claimedAtOnce, cursor),
    ]);
    const last = ordered.at(-1);
    // From the first key on again, once there was none after the last.
    cursor = last && { tenant: last.tenant, ordering_key: last.ordering_key ?? '' };
    return [...unordered, ...ordered];
  }

  /** Publishes one event, or all events of an ordering key. @returns why it stopped, unless it ran out of events or time */
  async function publish(
    first: ClaimedEvent,
    published: OutboxEvent[],
    { endMs, budget, publishEvent }: { endMs: number; budget: StepBudget; publishEvent: PublishEvent },
  ): Promise<AppError | undefined> {
    let event: OutboxEvent | undefined = first;
    try {
      while (event !== undefined) {
        const { traceparent } = event;
        const refusal = await publishEvent(eventOf(event), { traceparent, budget, send });
        if (refusal !== undefined) throw refusal.error;
        published.push(event);
        log.debug({
          event: 'event.published',
          tenant: event.tenant,
          eventId: event.id,
          traceId: traceIdOf(event.traceparent),
        });
        const goesOn: boolean = event.ordering_key !== null && clock.monotonicMs() < endMs;
        event = goesOn ? await table.findNext(event) : undefined;
      }
      return undefined;
    } catch (thrown) {
      const error = toAppError(thrown);
      const traceId = traceIdOf(event?.traceparent);
      const line = { event: 'event.not_published', tenant: first.tenant, eventId: event?.id, traceId, err: error };
      if (error.retryable) log.warn(line);
      else log.error(line);
      return error;
    }
  }

  /** @returns whether there may be more, and nothing says that it can't be published */
  async function round(publishEvent: PublishEvent): Promise<boolean> {
    const beganAtMs = clock.monotonicMs();
    const claimed = await claim();
    if (claimed.length === 0) return false;
    crashPoints.reach('outbox.after-claim');

    const published: OutboxEvent[] = [];
    const endMs = Math.min(clock.monotonicMs() + runMs, beganAtMs + sendsEndAfterMs);
    const publishing = { endMs, budget: createStepBudget(), publishEvent };
    const errors = await Promise.all(claimed.map((event) => publish(event, published, publishing)));
    crashPoints.reach('outbox.after-publish');

    if (published.length > 0) await table.remove(published);
    // An event whose data fails is our bug: it was accepted, so it is tried once in each claim until the bug is fixed.
    const postponed = claimed.filter((event, index) => errors[index]?.retryable && !published.includes(event));
    if (postponed.length > 0) await table.release(postponed);
    return errors.every((error) => error === undefined);
  }

  async function measure(): Promise<void> {
    if (clock.monotonicMs() - measuredAtMs < measureEveryMs) return;
    measuredAtMs = clock.monotonicMs();
    onMeasured(await table.measure());
  }

  async function idle(): Promise<void> {
    if (isWoken || signal.aborted) return;
    const waking = new AbortController();
    wakeUp = () => waking.abort();
    await clock.sleep(everyMs, waking.signal);
    wakeUp = () => undefined;
  }

  /** No plain rounds: a new event wakes it, and it goes on without a pause while there are more. */
  async function run(): Promise<void> {
    let publishEvent: PublishEvent | undefined;
    // Events committed before the stop are not left to the next start.
    while (!signal.aborted || isWoken) {
      isWoken = false;
      let goesOn = false;
      try {
        await measure();
        publishEvent ??= await deps.openPublisher();
        goesOn = await round(publishEvent);
      } catch (error) {
        log.warn({ event: 'outbox.round_failed', err: toAppError(error) });
      }
      if (!goesOn) await idle();
    }
  }

  const part = createPart(
    'outbox',
    async () => {
      running = run();
    },
    async () => {
      await running;
    },
  );
  return {
    ...part,
    wake,
    stop: () => {
      stopping.abort();
      wakeUp();
      return part.stop();
    },
  };
}

/** The same as in dedup. */
function eventOf(event: OutboxEvent): EventRecord {
  return {
    id: event.id,
    tenant: event.tenant,
    source_id: event.source_id,
    event_id: event.event_id,
    type: event.type,
    receipt_id: event.receipt_id,
    origin: event.origin,
    received_at: microsOf(event.received_at),
    dedup_key: event.dedup_key,
    content_type: event.content_type,
    content_encoding: event.content_encoding,
    http_headers: {},
    ordering_key: event.ordering_key,
    payload: event.payload,
    request: null,
    tags: event.tags ?? {},
  };
}

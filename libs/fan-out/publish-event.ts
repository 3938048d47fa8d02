/**
 * Publishes an event; a narrow one (match-narrow.ts) together with its deliveries, in one round trip:
 *
 *   wide    ─► the event, which the fan-out consumer fans out
 *   narrow  ─► the event with its set in a header, and its deliveries ──all acknowledged──► published
 *                └─ Kafka refuses one of these ─► the event again, without its set: the fan-out consumer creates the same deliveries, and
 *                                                 ends the refused ones
 *
 * If a process dies in between, the event is published again under the same ids: it may be on its topic twice, and a delivery may be sent
 * twice. Once any part of a narrow event was sent, its id must not change, whatever is refused later: a receiver may have it.
 */
import { type EventRecord, eventSetHeader, type Topics, traceHeaders } from '#lib/contract';
import type { OutgoingRecord } from '#lib/kafka';
import { type AppError, type Clock, type CrashPoints, isAppError, nowMicros } from '#lib/runtime';
import { deliveryOf, recordOfDelivery } from './deliveries-of-event.ts';
import type { MatchNarrow, Narrow, StepBudget } from './match-narrow.ts';
import type { FanOutMetrics } from './metrics.ts';

export interface Refusal {
  /** data_invalid: the event can't be encoded, or Kafka does not take it. */
  error: AppError;
  /** A receiver may have the event under its id. */
  mayBeDelivered: boolean;
}

interface Publishing {
  traceparent: string;
  /** Shared by the events that are published together. */
  budget: StepBudget;
  /** Resolves when the record is acknowledged. @throws AppError data_invalid if Kafka refuses it; other errors pass through */
  send(record: OutgoingRecord): Promise<unknown>;
}

/** Resolves when everything is acknowledged, or with the reason why it can't be published. */
export type PublishEvent = (event: EventRecord, publishing: Publishing) => Promise<Refusal | undefined>;

interface Deps {
  matchNarrow: MatchNarrow;
  /** @throws AppError data_invalid */
  encodeEvent(event: EventRecord): Buffer;
  topics: Topics;
  clock: Clock;
  crashPoints: CrashPoints;
  metrics: FanOutMetrics;
}

export function createPublishEvent(deps: Deps): PublishEvent {
  const { matchNarrow, topics, clock, crashPoints, metrics } = deps;

  function recordOf(event: EventRecord, traceparent: string): OutgoingRecord {
    const headers = traceHeaders(traceparent);
    return { topic: topics.events, key: event.ordering_key ?? event.id, value: deps.encodeEvent(event), headers };
  }

  /** @returns whether Kafka has accepted all of them; waits for all, even if one has failed */
  async function sendTogether(
    plain: OutgoingRecord,
    event: EventRecord,
    { endpointIds, passHeaders }: Narrow,
    { traceparent, send }: Publishing,
  ): Promise<boolean> {
    const at = nowMicros(clock);
    const withSet = { ...plain, headers: { ...plain.headers, ...eventSetHeader({ at, endpointIds }) } };
    const sendEvent = async (): Promise<void> => {
      await send(withSet);
      crashPoints.reach('publish.after-event');
    };
    const deliveries = endpointIds.map((id) =>
      recordOfDelivery(
        topics.deliveries,
        deliveryOf(event, id, { createdAt: at, traceparent, passHeaders: passHeaders?.get(id) }),
      ),
    );
    const sent = await Promise.allSettled([sendEvent(), ...deliveries.map(send)]);
    const errors = sent.flatMap((each) => (each.status === 'rejected' ? [each.reason as Error] : []));
    const other = errors.find((error) => !isAppError(error, 'data_invalid'));
    if (other !== undefined) throw other;
    return errors.length === 0;
  }

  return async (event, publishing) => {
    let mayBeDelivered = false;
    try {
      const plain = recordOf(event, publishing.traceparent);
      const matching = matchNarrow(event, publishing.budget);
      // Without a turn where there is nothing to wait for: events of one ordering key are sent in the order of these calls.
      const match = matching instanceof Promise ? await matching : matching;
      metrics.published('wide' in match ? match.wide : 'at_once');
      if ('wide' in match) await publishing.send(plain);
      else {
        mayBeDelivered = match.endpointIds.length > 0;
        if (!(await sendTogether(plain, event, match, publishing))) await publishing.send(plain);
      }
      return undefined;
    } catch (error) {
      if (!isAppError(error, 'data_invalid')) throw error;
      return { error, mayBeDelivered };
    }
  };
}

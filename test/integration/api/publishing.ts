import { hash } from 'node:crypto';
import { type EventRecord, topicsOf } from '#lib/contract';
import { createPublishEvent } from '#lib/fan-out';
import { AppError, noCrashPoints, silentLogger, systemClock } from '#lib/runtime';
import { createOutboxTable, type OutboxTable } from '../../../services/api/outbox/outbox-table.ts';
import { createOutbox, type Outbox } from '../../../services/api/outbox/publish-outbox.ts';
import type { OpenApi } from './api-over-database.ts';

/** A topic that takes a while to acknowledge, and may be away. Its events are in the order in which they were acknowledged. */
export function createTopic(delayMs: () => number = () => 0) {
  const events: EventRecord[] = [];
  const encoded = new Map<string, EventRecord>();
  let isAway = false;
  let held: PromiseWithResolvers<void> | undefined;
  const asked: EventRecord[] = [];
  return {
    /** Every event that it was asked to take, acknowledged or not. */
    asked,
    /** Acknowledges nothing until the returned function is called. */
    holdAcknowledgments(): () => void {
      const holding = Promise.withResolvers<void>();
      held = holding;
      return () => {
        held = undefined;
        holding.resolve();
      };
    },
    events,
    idsOfKey: (key: string): string[] => events.filter(({ ordering_key }) => ordering_key === key).map(({ id }) => id),
    setAway: (away: boolean): void => void (isAway = away),
    /** Stands for the wire format: the producer is given what leads back to the event. */
    encode(event: EventRecord): Buffer {
      const value = hash('sha256', JSON.stringify(event), 'buffer');
      encoded.set(value.toString('hex'), event);
      return value;
    },
    async send({ value }: { value: Buffer }): Promise<never> {
      if (isAway) throw new AppError('kafka_unavailable', 'away');
      const event = encoded.get(value.toString('hex'));
      if (event === undefined) throw new Error('was never encoded');
      asked.push(event);
      await held?.promise;
      await systemClock.sleep(delayMs());
      events.push(event);
      return undefined as never;
    },
  };
}

export type Topic = ReturnType<typeof createTopic>;

/** One process's outbox over the API's database. Ends with `stop`. */
export async function startOutbox(
  api: Pick<OpenApi, 'postgres'>,
  topic: Topic,
  given: { table?: Partial<OutboxTable>; erased?: ReadonlySet<string>; maxHeldBytes?: number } = {},
): Promise<Outbox> {
  const outbox = createOutbox({
    table: { ...createOutboxTable(api.postgres), ...given.table },
    producer: topic,
    erased: { has: ({ event_id }) => given.erased?.has(event_id) === true },
    ...(given.maxHeldBytes !== undefined && { maxHeldBytes: given.maxHeldBytes }),
    openPublisher: async () =>
      createPublishEvent({
        matchNarrow: () => ({ wide: 'endpoints' }),
        encodeEvent: topic.encode,
        topics: topicsOf('test.'),
        clock: systemClock,
        crashPoints: noCrashPoints,
        metrics: { published: () => undefined },
      }),
    onMeasured: () => undefined,
    crashPoints: noCrashPoints,
    clock: systemClock,
    log: silentLogger,
  });
  await outbox.start();
  return outbox;
}

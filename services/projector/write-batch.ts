/**
 * One batch, one transaction, in this order:
 *
 *   1. the clock row of each tenant concerned, before anything else (libs/event-store/take-clocks.ts says why)
 *   2. events and their receipts, duplicates, fan-outs, outcomes, dead letters: each unique by a key of its own, so that a batch that
 *      comes again, whole or in part, changes nothing
 *   3. every event that this may have changed is judged, by how much its counts have moved: what statement 2 says of it
 *
 * A handful of round trips, however many rows; the clock row is held for as long.
 */
import { AppError } from '#lib/errors';
import { formatMicros, parseRfc3339 } from '#lib/clock';
import { type EventRef, insertEvents, run, takeClocks } from '#lib/event-store';
import type { Query } from '#lib/postgres';
import { type BatchRows, keyOf } from './batch-rows.ts';
import { insertDeadLetters } from './statements/dead-letters.ts';
import { adoptEarlyDuplicates, insertDuplicates } from './statements/duplicates.ts';
import { insertFanOuts } from './statements/fan-outs.ts';
import { judgeEvents, type TouchedEvent } from './statements/judge-events.ts';
import { applyOutcomes } from './statements/outcomes.ts';

/** The statements that a test puts a defective variant of in their place, to see itself fail. */
export interface GuardingStatements {
  takeClocks: typeof takeClocks;
  applyOutcomes: typeof applyOutcomes;
  adoptEarlyDuplicates: typeof adoptEarlyDuplicates;
  insertFanOuts: typeof insertFanOuts;
  judgeEvents: typeof judgeEvents;
}

export const guardingStatements: GuardingStatements = {
  takeClocks,
  applyOutcomes,
  adoptEarlyDuplicates,
  insertFanOuts,
  judgeEvents,
};

export async function writeBatch(
  tx: Query,
  rows: BatchRows,
  guarding: GuardingStatements = guardingStatements,
): Promise<void> {
  const touched = await touchEvents(tx, rows, guarding);
  const grown = await run(
    tx,
    insertEvents,
    rows.events.map((row) => ({ ...row, updated_at: touched.get(row.tenant, row.id).updated_at })),
  );
  const moves: EventMove[] = [
    ...(await run(tx, guarding.adoptEarlyDuplicates, grown)),
    ...(await run(tx, insertDuplicates, rows.duplicates)),
    ...(await run(tx, guarding.insertFanOuts, rows.fanOuts)),
    ...(await run(tx, guarding.applyOutcomes, rows.outcomes)),
  ];
  await run(tx, insertDeadLetters, rows.letters);
  await touched.move(moves);
  await run(tx, guarding.judgeEvents, touched.all());
}

/** What is to be added to which counts of an event. */
type Counts = Omit<TouchedEvent, keyof EventRef | 'updated_at'>;
type EventMove = EventRef & Partial<Counts>;

const nothing: Counts = {
  ...{ duplicates: 0, duplicates_changed: 0 },
  ...{ pending: 0, retrying: 0, delivered: 0, dead_lettered: 0, cancelled: 0 },
};
const countNames = Object.keys(nothing) as (keyof Counts)[];

async function touchEvents(
  tx: Query,
  first: Pick<BatchRows, 'tenants' | 'touched'>,
  { takeClocks }: GuardingStatements,
) {
  const touched = new Map<string, TouchedEvent>();

  async function reserve(events: readonly EventRef[], tenants: readonly string[] = []): Promise<void> {
    const byTenant = Map.groupBy(events, (event) => event.tenant);
    const readings = await run(
      tx,
      takeClocks,
      [...new Set([...tenants, ...byTenant.keys()])].map((tenant) => ({
        tenant,
        n: byTenant.get(tenant)?.length ?? 0,
      })),
    );
    for (const { tenant, last_at } of readings) {
      const ofTenant = byTenant.get(tenant) ?? [];
      const lastMicros = parseRfc3339(last_at);
      if (lastMicros === undefined) throw new AppError('bug', `a clock reads ${last_at}`);
      ofTenant.forEach(({ event_id }, index) => {
        const updated_at = formatMicros(lastMicros - (ofTenant.length - 1 - index));
        touched.set(keyOf(tenant, event_id), { tenant, event_id, updated_at, ...nothing });
      });
    }
  }

  function get(tenant: string, eventId: string): TouchedEvent {
    const event = touched.get(keyOf(tenant, eventId));
    if (event === undefined) throw new AppError('bug', `${eventId} has no instant`);
    return event;
  }

  await reserve(first.touched, first.tenants);
  return {
    get,
    all: () => [...touched.values()],
    /** Most of these events are known; one that only the tables told of gets an instant now, the clock being held already. */
    async move(moves: readonly EventMove[]): Promise<void> {
      const unforeseen = new Map(
        moves.map(({ tenant, event_id }) => [keyOf(tenant, event_id), { tenant, event_id }] as const),
      );
      for (const key of touched.keys()) unforeseen.delete(key);
      await reserve([...unforeseen.values()]);
      for (const move of moves) {
        const event = get(move.tenant, move.event_id);
        for (const count of countNames) event[count] += move[count] ?? 0;
      }
    },
  };
}

/**
 * One batch, one transaction, in this order:
 *
 *   1. the clock row of each tenant concerned, before anything else (libs/event-store/take-clocks.ts says why), and, once they are had, which of
 *      these events were erased: nothing of them is written
 *   2. outcomes, fan-outs, events and their receipts, duplicates, dead letters: each unique by a key of its own, so that a batch that comes
 *      again, whole or in part, changes nothing. Events come after their deliveries, and so are decided as they are inserted
 *   3. every event that was there before, and that this may have changed, is decided, by how much its counts have moved: what statement 2 says
 *      of it; and the statistics are added to, by what statement 2 has really written
 *
 * Each is a command of its own, which sees what the clocks' last holders have written; in one statement with the first they would see no
 * more than before the wait for it. Commands that are sent together are answered in one round trip: the clock rows are held for two of them
 * and the commit, however many rows there are. All parameters are encoded before that.
 */
import { addDropped } from '#lib/erasure';
import {
  addStats,
  announceAwaited,
  awaitedRows,
  encode,
  insertEarlyStats,
  run,
  send,
  takeClocks,
} from '#lib/event-store';
import type { Query } from '#lib/postgres';
import { type BatchRows, ofTenants } from './batch-rows.ts';
import { findErasedRows, withoutErased } from './erased-rows.ts';
import { keyOf } from './facts.ts';
import { insertAttempts } from './statements/attempts.ts';
import { insertDeadLetters } from './statements/dead-letters.ts';
import { decideEvents } from './statements/decide-events.ts';
import { adoptEarlyDuplicates, insertDuplicates } from './statements/duplicates.ts';
import { insertEvents, type InsertedEvent } from './statements/events.ts';
import { insertFanOuts } from './statements/fan-outs.ts';
import { type AdvancedEvent, applyOutcomes } from './statements/outcomes.ts';
import { insertPayloads } from './statements/payloads.ts';
import { countBatch } from './stats/count-batch.ts';
import { createTouchedEvents } from './touched-events.ts';

/** The statements that a test puts a defective variant of in their place, to see itself fail. */
export interface GuardingStatements {
  takeClocks: typeof takeClocks;
  applyOutcomes: typeof applyOutcomes;
  adoptEarlyDuplicates: typeof adoptEarlyDuplicates;
  insertFanOuts: typeof insertFanOuts;
  decideEvents: typeof decideEvents;
  addStats: typeof addStats;
  findErasedRows: typeof findErasedRows;
}

export const guardingStatements: GuardingStatements = {
  takeClocks,
  applyOutcomes,
  adoptEarlyDuplicates,
  insertFanOuts,
  decideEvents,
  addStats,
  findErasedRows,
};

/** @returns the tenants whose clocks were taken: nothing was written of the others, but for dead letters, which need none */
export async function writeBatch(
  tx: Query,
  rows: BatchRows,
  guarding: GuardingStatements = guardingStatements,
): Promise<ReadonlySet<string>> {
  const touched = createTouchedEvents(tx, guarding.takeClocks);
  const encodedForAll = encodeBatch(rows, guarding);
  const reserved = touched.reserve(rows.touched, rows.tenants);
  // Sent behind it: its answer is as of after the wait for the clocks.
  const [taken, erased] = await Promise.all([reserved, guarding.findErasedRows(tx, rows)]);
  const isWhole = taken.size === rows.tenants.length && erased === undefined;
  const written = isWhole ? rows : withoutErased(ofTenants(rows, taken), erased);
  const encoded = isWhole ? encodedForAll : encodeBatch(written, guarding);
  if (erased !== undefined) await addDropped(tx, erased.dropped(ofTenants(rows, taken)));
  const [, , advanced, fannedOut, inserted, repeated] = await Promise.all([
    send(tx, encoded.payloads),
    send(tx, encoded.attempts),
    send(tx, encoded.outcomes),
    send(tx, encoded.fanOuts),
    send(tx, encoded.events, touched.clocks()),
    send(tx, encoded.duplicates),
    send(tx, encoded.deadLetters),
  ]);
  const grown = inserted.filter((event) => event.has_unsettled);
  const duplicates = [...(await run(tx, guarding.adoptEarlyDuplicates, grown)), ...repeated];
  await touched.move([...advanced.filter((event) => event.has_moved), ...fannedOut, ...duplicates]);
  const { minutes, early } = countBatch(written, { inserted, advanced, duplicates });
  // Not waited for: the COMMIT is sent with them, and tells whether one has failed.
  const last = [
    run(tx, guarding.decideEvents, touched.toDecide(inserted)),
    run(tx, guarding.addStats, minutes),
    run(tx, insertEarlyStats, early),
    run(tx, announceAwaited, awaitedRows(tenantsOfMissing(written.dueSoon, advanced, inserted))),
  ];
  for (const sent of last) sent.catch(() => undefined);
  return taken;
}

/** Tenants with deliveries that are sent again soon, of events that are not here: whoever has fetched these is not to hold them back. */
function tenantsOfMissing(
  dueSoon: BatchRows['dueSoon'],
  advanced: readonly AdvancedEvent[],
  inserted: readonly InsertedEvent[],
): string[] {
  if (dueSoon.length === 0) return [];
  const missing = new Set(
    advanced.filter((event) => event.source_id === null).map((event) => keyOf(event.tenant, event.event_id)),
  );
  for (const { tenant, id } of inserted) missing.delete(keyOf(tenant, id));
  const due = dueSoon.filter(({ tenant, event_id }) => missing.has(keyOf(tenant, event_id)));
  return [...new Set(due.map(({ tenant }) => tenant))];
}

const encodeBatch = (rows: BatchRows, { applyOutcomes, insertFanOuts }: GuardingStatements) => ({
  payloads: encode(insertPayloads, rows.payloads),
  attempts: encode(insertAttempts, rows.attempts),
  outcomes: encode(applyOutcomes, rows.outcomes),
  fanOuts: encode(insertFanOuts, rows.fanOuts),
  events: encode(insertEvents, rows.events),
  duplicates: encode(insertDuplicates, rows.duplicates),
  deadLetters: encode(insertDeadLetters, rows.deadLetters),
});

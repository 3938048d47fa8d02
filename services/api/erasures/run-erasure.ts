/**
 * Works an erasure off, in bounded pages, each of which can be repeated: a process that dies is followed by another when its lease is over.
 * erasure-row.ts has the states.
 */
import {
  addRemoved,
  markEvents,
  removedTables,
  removeEventData,
  type RemovedRows,
  removeTenantPage,
  removeWaiting,
} from '#lib/erasure';
import { type ForgetResponses, removeAnswers } from '#lib/idempotency';
import type { Postgres } from '#lib/postgres';
import { type Clock, type CrashPoints, formatMicros, nowMicros } from '#lib/runtime';
import type { SecretBox } from '#lib/secret-box';
import { chooseEvents } from './choose-events.ts';
import { eraseNames } from './erase-names.ts';
import { advance, type ErasureRow } from './erasure-row.ts';

interface Deps {
  postgres: Postgres;
  secretBox: SecretBox;
  forget: ForgetResponses;
  /** Reads retention by topic, in milliseconds; undefined: for ever. @throws AppError kafka_unavailable */
  readKeepTimes(): Promise<ReadonlyMap<string, number | undefined>>;
  clock: Clock;
  crashPoints: CrashPoints;
}

/** Does the next piece of work. @returns the erasure as it is then; `wait`: its time has not come; undefined: another has it */
export type StepErasure = (erasure: ErasureRow, owner: string) => Promise<ErasureRow | 'wait' | undefined>;

/** The tenant's clock is held for as long as these are marked. */
const eventsAtOnce = 100;
/** Number of events whose names are looked for at once. */
const namedAtOnce = 5_000;
/** Longer than a process takes to hear of a mark: libs/erasure/erased-events.ts. */
const settleMs = 5_000;

const pendingSql = `
  SELECT id FROM erased WHERE tenant = $1 AND erasure_id = $2 AND NOT removed ORDER BY id LIMIT ${eventsAtOnce}`;
const setRemovedSql = 'UPDATE erased SET removed = true WHERE tenant = $1 AND id = ANY ($2::text[])';
const nextErasedSql = `
  SELECT id, names FROM erased WHERE tenant = $1 AND erasure_id = $2 AND id > $3 ORDER BY id LIMIT $4`;
/** `done_to` of a confirmation: the last event that was removed again, `names/` the last whose names were looked for, at last `dates`. */
const ofNames = 'names/';
const dates = 'dates';
const toConfirming = `state = 'confirming', filter = NULL, done_to = '', marked_in = pg_current_xact_id(),
  settles_at = clock_timestamp() + ${settleMs} * interval '1 millisecond'`;

/**
 * Nobody still works from a reading of before the last mark: every process has heard of it, and every transaction and snapshot of then has ended.
 * A dump that takes hours holds the confirmation up: it has what is being erased.
 */
const hasSettledSql = `
  SELECT settles_at <= clock_timestamp()
         AND NOT EXISTS (
           SELECT FROM pg_stat_activity a
            WHERE a.datname = current_database() AND a.backend_type = 'client backend' AND a.pid <> pg_backend_pid()
              AND greatest(age(a.backend_xmin), age(a.backend_xid)) >= age(marked_in::xid)) AS settled
    FROM erasures
   WHERE tenant = $1 AND id = $2`;

export function createStepErasure(deps: Deps): StepErasure {
  const { postgres, crashPoints } = deps;

  const advanceWith = (erasure: ErasureRow, owner: string, removed: RemovedRows, assignments: string, value?: string) =>
    advance(postgres, erasure, owner, `removed = $4::jsonb, ${assignments}`, [
      JSON.stringify(addRemoved(erasure.removed, removed)),
      ...(value === undefined ? [] : [value]),
    ]);

  /** Removes events that are marked before it marks more. */
  async function mark(erasure: ErasureRow, owner: string): Promise<ErasureRow | undefined> {
    const { tenant, id, filter, marked_to: markedTo } = erasure;
    const pending = await postgres.query<{ id: string }>(pendingSql, [tenant, id]);
    if (pending.length > 0) {
      const ids = pending.map((row) => row.id);
      const removed = await removeEventData(postgres, tenant, ids);
      crashPoints.reach('erasure.after-removal');
      await postgres.query(setRemovedSql, [tenant, ids]);
      return advanceWith(erasure, owner, removed, 'state = state');
    }
    const page = filter === null ? [] : await chooseEvents(postgres, { ...erasure, filter }, markedTo, eventsAtOnce);
    const last = page.at(-1);
    if (last === undefined) return advance(postgres, erasure, owner, toConfirming);
    const marked = await postgres.transaction(async (tx) => {
      const held = await advance(tx, erasure, owner);
      if (held === undefined) return undefined;
      const ids = await markEvents(tx, { tenant, erasureId: id, ids: page.map((row) => row.id) });
      return advance(tx, erasure, owner, 'events = events + $4, marked_to = $5', [ids.length, last.updated_at]);
    });
    crashPoints.reach('erasure.after-mark');
    return marked;
  }

  /** The tenant's tables, one after the other; `done_to` is the one at hand. */
  async function removeTenant(erasure: ErasureRow, owner: string, end: string): Promise<ErasureRow | undefined> {
    const { tenant, done_to: doneTo } = erasure;
    const at = Math.max(
      0,
      removedTables.findIndex((table) => table === doneTo),
    );
    const table = removedTables[at];
    if (table === undefined || doneTo === 'answers') {
      const { erased, next } = await removeAnswers(deps, tenant);
      const answers: RemovedRows = erased === 0 ? {} : { idempotency_keys: erased };
      return advanceWith(erasure, owner, answers, next === undefined ? end : 'state = state');
    }
    const rows = await removeTenantPage(postgres, tenant, table);
    crashPoints.reach('erasure.after-removal');
    const removed: RemovedRows = rows === 0 ? {} : { [table]: rows };
    const next = rows > 0 ? table : (removedTables[at + 1] ?? 'answers');
    return advanceWith(erasure, owner, removed, 'done_to = $5', next);
  }

  async function confirm(erasure: ErasureRow, owner: string): Promise<ErasureRow | 'wait' | undefined> {
    const { tenant, id, done_to: doneTo } = erasure;
    const [row] = await postgres.query<{ settled: boolean }>(hasSettledSql, [tenant, id]);
    if (row?.settled !== true) return 'wait';
    if (doneTo === dates) return complete(erasure, owner);
    if (erasure.kind === 'tenant') return removeTenant(erasure, owner, `done_to = '${dates}'`);
    if (doneTo.startsWith(ofNames)) return removeNames(erasure, owner, doneTo.slice(ofNames.length));
    const page = await postgres.query<{ id: string }>(nextErasedSql, [tenant, id, doneTo, eventsAtOnce]);
    const last = page.at(-1);
    if (last === undefined)
      return advanceWith(erasure, owner, await removeWaiting(postgres, tenant, id), `done_to = '${ofNames}'`);
    const removed = await removeEventData(
      postgres,
      tenant,
      page.map((each) => each.id),
    );
    return advanceWith(erasure, owner, removed, 'done_to = $5', last.id);
  }

  async function removeNames(erasure: ErasureRow, owner: string, after: string): Promise<ErasureRow | undefined> {
    const { tenant, id } = erasure;
    const asked = [tenant, id, after, namedAtOnce];
    const page = await postgres.query<{ id: string; names: Buffer[] | null }>(nextErasedSql, asked);
    const last = page.at(-1);
    if (last === undefined) return advance(postgres, erasure, owner, `done_to = '${dates}'`);
    const names = page.flatMap((each) => each.names ?? []);
    const keepOn = async (): Promise<boolean> => (await advance(postgres, erasure, owner)) !== undefined;
    const removed = await eraseNames(deps, tenant, names, keepOn);
    return removed === 'lost' ? undefined : advanceWith(erasure, owner, removed, 'done_to = $5', ofNames + last.id);
  }

  /** Nothing of it is written to Kafka any more: what is there goes with its topic's retention. */
  async function complete(erasure: ErasureRow, owner: string): Promise<ErasureRow | undefined> {
    const keepTimes = await deps.readKeepTimes();
    const now = nowMicros(deps.clock);
    const kafka = [...keepTimes].map(([topic, keptMs]) => ({
      topic,
      kept_until: keptMs === undefined ? null : formatMicros(now + keptMs * 1_000),
    }));
    const ends = kafka.map(({ kept_until: until }) => until);
    const last = ends.includes(null) ? null : (ends.sort().at(-1) ?? null);
    crashPoints.reach('erasure.before-completion');
    return postgres.transaction(async (tx) => {
      await tx.query('UPDATE erased SET names = NULL WHERE tenant = $1 AND erasure_id = $2', [
        erasure.tenant,
        erasure.id,
      ]);
      return advance(
        tx,
        erasure,
        owner,
        `state = 'completed', completed_at = clock_timestamp(), kafka = $4::jsonb, kept_until = $5,
         lease_owner = NULL`,
        [JSON.stringify(kafka), last],
      );
    });
  }

  return async (erasure, owner) => {
    switch (erasure.state) {
      case 'marking':
        return mark(erasure, owner);
      case 'removing':
        return removeTenant(erasure, owner, toConfirming);
      case 'confirming':
        return confirm(erasure, owner);
      case 'completed':
        return undefined;
    }
  };
}

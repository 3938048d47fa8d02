/**
 * Decides which received record is the first of its key: one event id per key until its time to live has passed, whatever crashes.
 *
 * 1. `recall`    Redis   settles most duplicates: it has traces of completed rows
 * 2. `decide`    table   the row decides for all others; the insert is the atomic set-if-absent
 * 3.             (the caller publishes and waits for every acknowledgment)
 * 4. `complete`  table   the time to live starts here; then the key goes to Redis (`SET NX`, expiring with the row)
 * 5.             (the caller commits the record, never before 4)
 *    `release`   table   a record that ends otherwise leaves no row
 *
 * | Redis has            | the row                            | verdict   | because                                                      |
 * |----------------------|------------------------------------|-----------|--------------------------------------------------------------|
 * | another's, unexpired | not read                           | duplicate | that event is published                                      |
 * | perhaps its own, nothing, or is away | none               | first     | inserted                                                     |
 * |                      | own, not completed                 | republish | died between insert and completion: a duplicate would lose it |
 * |                      | own, completed                     | done      | its event is published, only its commit was lost             |
 * |                      | another's, not completed           | duplicate | that record is not committed, and comes again                |
 * |                      | another's, not expired at receipt  | duplicate |                                                              |
 * |                      | another's, expired at receipt      | first     | taken over: next generation                                  |
 * |                      | changed or gone since it was seen  | read again |                                                             |
 *
 * The event id is a function of the record (eventIdOf), so it is the same after any crash, even if both levels lost everything. A worker
 * that was paused while its partition moved can publish again, but never under another id. "The row is mine" means "the id is mine".
 *
 * The time of receipt decides about expiry, not the present: waiting in a long queue does not age a record. A row that is not completed does not
 * expire.
 *
 * Redis gets the key by `SET NX` after completion. An earlier design claimed the key in Redis first, with the record in the value. But
 * after Redis had lost its memory, an unfinished claim and an unfinished row could belong to two records. If both workers died, one record
 * came again as a duplicate of the claim, the other as a duplicate of the row, and the webhook was lost. Now unfinished work exists in the
 * table only. Redis has copies of rows that don't change before they expire: nothing needs correcting, releasing or fencing, a late command
 * does no harm, and losing all copies costs only time.
 *
 * Statements over several keys take them in the order of their bytes; overlapping batches would deadlock otherwise.
 */
import { isAppError } from '#lib/runtime';
import { type Holder, holderOf, type KnownHolder, mayHold } from './holder.ts';
import type { Candidate, CompletedKey, KeyMemory, KeyRow, KeyTable } from './ports.ts';

export interface Verdict {
  /** first, republish: publish the event (then complete it). done: nothing. duplicate: of `holder`. */
  kind: 'first' | 'republish' | 'done' | 'duplicate';
  /**
   * The key's holder after this decision: the candidate itself unless it is a duplicate. A `RememberedHolder` only if `recall` gave the
   * verdict.
   */
  holder: Holder;
  /** Until when at least, in microseconds since the epoch; null while the holder is not completed. */
  expiresAt: number | null;
}

interface TableVerdict extends Verdict {
  holder: KnownHolder;
}

export interface DedupStore {
  /** Answers in order: duplicate, if Redis knows enough, or undefined if `decide` must be asked. Always undefined while Redis is away. */
  recall(candidates: readonly Candidate[]): Promise<(Verdict | undefined)[]>;
  /** The candidates must have different keys. @throws AppError store_unavailable, data_invalid (one of them; none is decided) */
  decide(candidates: readonly Candidate[]): Promise<Verdict[]>;
  /** Completes published candidates, which must have different keys. @throws AppError store_unavailable */
  complete(candidates: readonly Candidate[]): Promise<void>;
  /** Removes the row of a candidate that will not be published. @throws AppError store_unavailable */
  release(candidate: Candidate): Promise<void>;
}

export function createDedupStore({ memory, table }: { memory: KeyMemory; table: KeyTable }): DedupStore {
  const remember = async (completed: readonly CompletedKey[]): Promise<void> => {
    if (completed.length > 0) await memory.remember(completed).catch(ignoreRedisAway);
  };

  const decideOnce = async (candidates: readonly Candidate[]): Promise<(TableVerdict | undefined)[]> => {
    const added = await table.insert(candidates);
    const contested = candidates.filter((_, index) => !added[index]);
    // A statement of its own: an insert's snapshot may be too old to see the row that it met.
    const rows = contested.length === 0 ? [] : await table.read(contested);
    const verdicts = new Map(candidates.map((candidate) => [candidate, first(candidate) as TableVerdict | undefined]));
    contested.forEach((candidate, index) => verdicts.set(candidate, verdictOf(candidate, rows[index])));

    const expired = contested.flatMap((candidate, index) => {
      const row = rows[index];
      return row !== undefined && verdicts.get(candidate) === undefined
        ? [{ candidate, generation: row.generation }]
        : [];
    });
    const taken = expired.length === 0 ? [] : await table.takeOver(expired);
    expired.forEach(({ candidate }, index) => {
      if (taken[index]) verdicts.set(candidate, first(candidate));
    });
    return candidates.map((candidate) => verdicts.get(candidate));
  };

  return {
    async recall(candidates) {
      try {
        const known = await memory.recall(candidates.map(({ key }) => key));
        return candidates.map((candidate, index) => {
          const trace = known[index];
          if (trace === undefined || trace.expiresAt <= candidate.receivedAt) return undefined;
          return mayHold(candidate, trace.holder) ? undefined : { kind: 'duplicate', ...trace };
        });
      } catch (error) {
        ignoreRedisAway(error);
        return candidates.map(() => undefined);
      }
    },
    async decide(candidates) {
      const verdicts = new Map<Candidate, TableVerdict>();
      let open = candidates;
      // Each further round means that another worker changed a row between two of our statements.
      while (open.length > 0) {
        const decided = open;
        const round = await decideOnce(decided);
        round.forEach((verdict, index) => verdict && verdicts.set(decided[index] as Candidate, verdict));
        open = decided.filter((candidate) => !verdicts.has(candidate));
      }
      // Redis should know these keys, but may have lost them.
      await remember(
        candidates.flatMap((candidate) => {
          const { holder, expiresAt } = verdicts.get(candidate) as TableVerdict;
          return expiresAt === null ? [] : [{ ...holder, key: candidate.key, expiresAt }];
        }),
      );
      return candidates.map((candidate) => verdicts.get(candidate) as TableVerdict);
    },
    async complete(candidates) {
      const expiries = await table.complete(candidates);
      await remember(
        candidates.flatMap(({ key, eventId, bodyHash }, index) => {
          const expiresAt = expiries[index];
          return expiresAt === undefined ? [] : [{ key, eventId, bodyHash, expiresAt }];
        }),
      );
    },
    async release(candidate) {
      await table.remove(candidate).catch((error: unknown) => {
        // A key that the table can't even be asked about is not in it.
        if (!isAppError(error, 'data_invalid')) throw error;
      });
    },
  };
}

/** Undefined if the row is expired or gone: it can be taken over, or tried again. */
function verdictOf(candidate: Candidate, row: KeyRow | undefined): TableVerdict | undefined {
  if (row === undefined) return undefined;
  const { eventId, bodyHash, expiresAt } = row;
  const holder = { eventId, bodyHash };
  if (eventId === candidate.eventId) return { kind: expiresAt === null ? 'republish' : 'done', holder, expiresAt };
  if (expiresAt !== null && expiresAt <= candidate.receivedAt) return undefined;
  return { kind: 'duplicate', holder, expiresAt };
}

const first = (candidate: Candidate): TableVerdict => ({
  kind: 'first',
  holder: holderOf(candidate),
  expiresAt: null,
});

function ignoreRedisAway(error: unknown): void {
  if (!isAppError(error, 'redis_unavailable')) throw error;
}

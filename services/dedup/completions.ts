/**
 * Completes the rows of published events, those of all batches and partitions together, and then ends their records:
 *
 *   published ──► waits for others, 200 ms at most ──► completed with them, in one statement ──► done
 *                                                        ├─ Postgres is away: again, as far as their partitions are still ours
 *                                                        └─ a row is locked ──► each tenant's by themselves
 *                                                                                 └─ still locked: set aside until it is not
 *
 * It guarantees that a record is done only once its row is completed, so no offset is committed before. Until then a repeat of the key finds
 * an unfinished row, and is a duplicate of it in every process (libs/dedup-store); the same record, if it comes again here, is known as
 * published. A process that dies leaves its successor what it had published and not completed, to publish under the same ids.
 *
 * A record that waits here is outstanding at its partition, which bounds their number and bytes (`maxOutstanding` of libs/kafka).
 */
import type { Candidate, DedupStore } from '#lib/dedup-store';
import { type IncomingRecord, whenAllAborted } from '#lib/kafka';
import { isLocked } from '#lib/postgres';
import {
  type Clock,
  type CrashPoints,
  isAppError,
  type Logger,
  type Random,
  toAppError,
  type WaitOut,
} from '#lib/runtime';
import { createSetAside } from '#lib/tenancy';

/** Records that end with the completion of a row: of its event, and of duplicates in the same batch. */
interface Waiting {
  candidate: Candidate;
  records: readonly Pick<IncomingRecord, 'signal' | 'value'>[];
  /** Ends them. */
  end(): void;
}

export interface Completions {
  /** This process has published the candidate's event, and its row waits here for its completion. */
  has(candidate: Candidate): boolean;
  add(waiting: Waiting): void;
  /** Resolves when nothing waits here but what is set aside. */
  idle(): Promise<void>;
}

interface Deps {
  store: Pick<DedupStore, 'complete'>;
  /** How long the first waits for others, in milliseconds. */
  gatherMs: number;
  crashPoints: CrashPoints;
  waitOut: WaitOut;
  clock: Clock;
  random: Random;
  log: Logger;
  /** Reports an unexpected error: nothing of what it concerns is ever done. */
  fail(error: Error): void;
}

interface Entry {
  candidate: Candidate;
  waiting: Waiting[];
}

/** Rows of one statement; from so many on nobody waits. */
const maxRows = 500;
/** The same in bytes of records, which are kept in memory meanwhile: the bytes of one call of the handler. */
const enoughBytes = 4 * 1024 * 1024;

export function createCompletions(deps: Deps): Completions {
  const { store, gatherMs, crashPoints, waitOut, clock, random, log, fail } = deps;
  /** By event id: what waits, is being completed, or is set aside. */
  const entries = new Map<string, Entry>();
  let queue: Entry[] = [];
  let queuedBytes = 0;
  let firstAtMs = 0;
  let enough = new AbortController();
  let working: Promise<void> | undefined;

  const aside = createSetAside<Entry>({
    write: completeAside,
    bytesOf: () => 0,
    isWanted: isKept,
    // The partitions have bounds.
    limits: { maxItems: Number.POSITIVE_INFINITY, maxBytes: Number.POSITIVE_INFINITY, maxAtOnce: maxRows },
    clock,
    random,
    onWaiting: (tenant) => log.warn({ event: 'tenant.waited_for', tenant }),
    onFailure: (error) => fail(toAppError(error)),
  });

  function add(waiting: Waiting): void {
    const { candidate } = waiting;
    const known = entries.get(candidate.eventId);
    if (known !== undefined) return void known.waiting.push(waiting);
    const entry: Entry = { candidate, waiting: [waiting] };
    entries.set(candidate.eventId, entry);
    place(entry);
  }

  function place(entry: Entry): void {
    const { tenant } = entry.candidate;
    if (aside.has(tenant)) return aside.add(tenant, [entry]);
    if (queue.length === 0) firstAtMs = clock.monotonicMs();
    queue.push(entry);
    for (const { records } of entry.waiting) for (const { value } of records) queuedBytes += value.length;
    if (isEnough()) enough.abort();
    working ??= work();
  }

  const isEnough = (): boolean => queue.length >= maxRows || queuedBytes >= enoughBytes;

  async function work(): Promise<void> {
    // The rest of a batch comes in the same turn.
    await Promise.resolve();
    while (queue.length > 0) {
      const waitMs = firstAtMs + gatherMs - clock.monotonicMs();
      if (waitMs > 0 && !isEnough()) {
        enough = new AbortController();
        await clock.sleep(waitMs, enough.signal);
      }
      await completeTogether(take());
    }
    working = undefined;
  }

  function take(): Entry[] {
    const [group, rest] = inOneStatement(queue.filter(isKept));
    queue = rest;
    queuedBytes = 0;
    return group;
  }

  async function completeTogether(group: readonly Entry[]): Promise<void> {
    const { signal, forget } = whenAllAborted(
      group.flatMap(({ waiting }) => waiting.flatMap(({ records }) => records.map((record) => record.signal))),
    );
    const held = new Set<Entry>();
    try {
      const locked = await completeUnlessLocked(group, signal);
      const tenants = [...Map.groupBy(locked, ({ candidate }) => candidate.tenant)];
      for (const [tenant, theirs] of tenants) {
        const left = tenants.length > 1 ? await completeUnlessLocked(theirs, signal) : theirs;
        for (const entry of left) held.add(entry);
        if (left.length > 0) aside.add(tenant, left);
      }
    } catch (error) {
      if (!isAppError(error, 'stopped')) return fail(toAppError(error));
      // Their partitions are lost; but one may have come back meanwhile, with a record that has joined these.
      for (const entry of group) if (!held.has(entry) && isOpen(entry) && isKept(entry)) place(entry);
    } finally {
      forget();
    }
  }

  /** @returns those that are not completed, because a row of one of them is locked: all or none */
  async function completeUnlessLocked(group: readonly Entry[], signal: AbortSignal): Promise<readonly Entry[]> {
    return waitOut(async () => {
      try {
        await complete(group.filter(isKept));
        return [];
      } catch (error) {
        if (isLocked(error)) return group;
        throw error;
      }
    }, signal);
  }

  async function completeAside(given: readonly Entry[]): Promise<readonly Entry[]> {
    const [group, rest] = inOneStatement(given);
    try {
      await complete(group);
      return rest;
    } catch (error) {
      if (isAppError(error) && error.retryable) return given;
      throw error;
    }
  }

  async function complete(group: readonly Entry[]): Promise<void> {
    if (group.length === 0) return;
    await store.complete(group.map(({ candidate }) => candidate));
    crashPoints.reach('dedup.before-commit');
    for (const entry of group) {
      remove(entry);
      for (const { end } of entry.waiting) end();
    }
  }

  /** Removes an entry whose records are all of lost partitions. */
  function isKept(entry: Entry): boolean {
    if (entry.waiting.some(({ records }) => records.some(({ signal }) => !signal.aborted))) return true;
    remove(entry);
    return false;
  }

  const isOpen = (entry: Entry): boolean => entries.get(entry.candidate.eventId) === entry;

  function remove(entry: Entry): void {
    if (isOpen(entry)) entries.delete(entry.candidate.eventId);
  }

  return {
    has: ({ eventId }) => entries.has(eventId),
    add,
    async idle() {
      while (working !== undefined) await working;
    },
  };
}

/** A statement takes a key once: two events of a key wait here only if the table has lost the first one's row. */
function inOneStatement(entries: readonly Entry[]): [group: Entry[], rest: Entry[]] {
  const keys = new Set<string>();
  const [group, rest]: [Entry[], Entry[]] = [[], []];
  for (const entry of entries) {
    const key = entry.candidate.key.toString('latin1');
    if (group.length >= maxRows || keys.has(key)) rest.push(entry);
    else group.push(entry);
    keys.add(key);
  }
  return [group, rest];
}

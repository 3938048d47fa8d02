/**
 * Announces a source that rejects and accepts nothing (`hookline.source.rejecting`), for tenants that ask. It rejects from ten rejections with
 * one code within ten minutes, in which no process has accepted a webhook of it, until one does.
 *
 *   rejections ─► ten of a code in the table, nothing accepted here ─► `sources.rejecting_since` and the announcement, due in 15 seconds
 *     every process that has accepted something within ten minutes reads `sources` ─► it was of this source ─► both are withdrawn
 *     nobody withdraws ─► announced ─► some process accepts ─► `rejecting_since` is cleared, and it may be announced again
 *
 * A process that stops forgets what it has accepted. The request path only notes a time, or an id.
 */
import { type Clock, inRounds, type Logger, type Part } from '#lib/runtime';
import type { RejectingTable, SourceRef } from './rejecting-table.ts';

export interface RejectingSources extends Part {
  accepted(sourceId: string): void;
  rejected(source: SourceRef): void;
}

interface Options {
  table: RejectingTable;
  /** The sources with `rejecting_since`, as last read. */
  rejecting(): Iterable<SourceRef & { sinceMs: number }>;
  /** Waits for a recent reading of these. */
  read(): Promise<void> | undefined;
  clock: Clock;
  log: Logger;
}

const windowMs = 600_000;
const intervalMs = 5_000;
/** Sources of one round; the others have their turn in the next ones. */
const maxChecked = 200;
/** Sources that wait for that; others are noted with a later rejection. */
const maxNoted = 2_000;

export function createRejectingSources({ table, rejecting, read, clock, log }: Options): RejectingSources {
  const acceptedAt = createTimes();
  /** If another process withdraws it, the source has accepted something: for ten minutes it can't be announced again. */
  const announcedAt = createTimes();
  let forgottenAtMs = clock.nowMs();
  let lastAcceptedAtMs = Number.NEGATIVE_INFINITY;
  /** Two rounds: the rejections of one are not all in the table when it ends. */
  let [rejected, rejectedBefore] = [new Map<string, SourceRef>(), new Map<string, SourceRef>()];

  function forgetOld(): void {
    if (clock.nowMs() - forgottenAtMs < 2 * windowMs) return;
    forgottenAtMs = clock.nowMs();
    for (const times of [acceptedAt, announcedAt]) times.forgetOlder();
  }

  function takeRejected(): SourceRef[] {
    const known = new Set([...rejecting()].map(({ id }) => id));
    const fromMs = clock.nowMs() - windowMs;
    const taken = [...rejectedBefore.values()].slice(0, maxChecked);
    for (const { id } of taken) rejectedBefore.delete(id);
    [rejected, rejectedBefore] = [
      new Map<string, SourceRef>(),
      new Map([...rejectedBefore, ...rejected].slice(0, maxNoted)),
    ];
    return taken.filter(
      ({ id }) => !known.has(id) && !acceptedAt.isSince(id, fromMs) && !announcedAt.isSince(id, fromMs),
    );
  }

  async function round(): Promise<void> {
    forgetOld();
    // Otherwise there is nothing to withdraw, and at rest nothing is read.
    if (lastAcceptedAtMs >= clock.nowMs() - windowMs) await read();
    for (const source of [...rejecting()])
      if (acceptedAt.isSince(source.id, source.sinceMs - windowMs)) await table.withdraw(source);
    const suspects = takeRejected();
    if (suspects.length === 0) return;
    for (const source of await table.find(suspects, windowMs / 1_000)) {
      announcedAt.set(source.id, clock.nowMs());
      if (await table.announce(source)) log.info({ event: 'source.rejecting', ...source });
    }
  }

  return {
    ...inRounds(round, { name: 'rejecting sources', everyMs: intervalMs, waitsFirst: true, clock, log }),
    accepted(sourceId) {
      lastAcceptedAtMs = clock.nowMs();
      acceptedAt.set(sourceId, lastAcceptedAtMs);
    },
    rejected({ tenant, id }) {
      if (rejected.size < maxNoted) rejected.set(id, { tenant, id });
    },
  };
}

/** The last time of each source, in two generations: no loop over hundreds of thousands of sources forgets the old ones. */
function createTimes() {
  let [recent, older] = [new Map<string, number>(), new Map<string, number>()];
  return {
    set: (sourceId: string, atMs: number): void => void recent.set(sourceId, atMs),
    isSince: (sourceId: string, sinceMs: number): boolean =>
      (recent.get(sourceId) ?? older.get(sourceId) ?? Number.NEGATIVE_INFINITY) >= sinceMs,
    /** Forgets the times that were set before the last call. */
    forgetOlder(): void {
      [recent, older] = [new Map<string, number>(), recent];
    },
  };
}

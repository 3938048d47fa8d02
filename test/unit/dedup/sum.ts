import type { DuplicateRecord, EventRecord } from '#lib/contract';

export interface Sum {
  /** Received, but neither an event, a duplicate nor a dead letter. */
  lost: string[];
  /** More than one of these: the same webhook counted twice. */
  twofold: string[];
  /** Dedup keys with more than one event id. */
  split: string[];
  /** Duplicates of a key that has no event. */
  orphaned: string[];
}

export const exact: Sum = { lost: [], twofold: [], split: [], orphaned: [] };

/** The records on dedup's topics. */
export interface Outcomes {
  events(): EventRecord[];
  duplicates(): DuplicateRecord[];
  deadLetters(): { origin: string }[];
}

/** Compares received records with their results, by origin; a record written twice counts once. */
export function sumUp(outcomes: Outcomes, origins: readonly string[]): Sum {
  const events = outcomes.events();
  const duplicates = outcomes.duplicates();
  const ends = [events, duplicates, outcomes.deadLetters()].map(
    (records) => new Set(records.map(({ origin }) => origin)),
  );
  const endsOf = (origin: string): number => ends.filter((end) => end.has(origin)).length;

  const idsByKey = new Map<string, Set<string>>();
  for (const { dedup_key, id } of events) {
    const key = Buffer.from(dedup_key).toString('hex');
    idsByKey.set(key, (idsByKey.get(key) ?? new Set()).add(id));
  }
  return {
    lost: origins.filter((origin) => endsOf(origin) === 0),
    twofold: origins.filter((origin) => endsOf(origin) > 1),
    split: [...idsByKey].filter(([, ids]) => ids.size > 1).map(([key]) => key),
    orphaned: duplicates.filter(({ dedup_key }) => !idsByKey.has(dedup_key)).map(({ origin }) => origin),
  };
}

/** The two levels that the store is made of. test/unit/dedup-store has a suite for each, run by the fake and by the real one. */
import type { KnownHolder, RememberedHolder } from './holder.ts';

/** A received record that may be the first of its key. */
export interface Candidate {
  tenant: string;
  /** 16 bytes with the tenant hashed in, see dedup-key.ts. */
  key: Buffer;
  /** topic-partition-offset of the record as the ingress wrote it. */
  origin: string;
  /** The id of its event if it is the first: a function of the record, so comparing ids compares records. */
  eventId: string;
  bodyHash: Buffer;
  /** Microseconds since the epoch. */
  receivedAt: number;
  /** How long the key is remembered once the event is published. */
  ttlSeconds: number;
}

/** The holder's event is published, and it keeps the key until this time (microseconds since the epoch): nothing of this changes before. */
export interface CompletedKey extends KnownHolder {
  key: Buffer;
  expiresAt: number;
}

/** A completed key as the fast level remembers it. */
interface RememberedKey {
  holder: RememberedHolder;
  /** Up to some seconds before the row's own, never after it. */
  expiresAt: number;
}

/** The fast level: copies of completed rows. It may forget any of them, and may be away; its answers are never wrong. */
export interface KeyMemory {
  /** Answers in order; undefined for unknown keys. @throws AppError redis_unavailable */
  recall(keys: readonly Buffer[]): Promise<(RememberedKey | undefined)[]>;
  /** Does not overwrite unexpired entries. @throws AppError redis_unavailable: any of them may be stored, now or later */
  remember(completed: readonly CompletedKey[]): Promise<void>;
}

export interface KeyRow extends KnownHolder {
  /** Rises with each takeover. */
  generation: number;
  /** Microseconds since the epoch; null until the event has been published (the row is completed): such a row does not expire. */
  expiresAt: number | null;
}

/** The level that decides. Every method is one statement; all @throw AppError store_unavailable, or data_invalid for the whole batch. */
export interface KeyTable {
  /** Adds a row for each candidate whose key has none. Returns in order whether it was added. */
  insert(candidates: readonly Candidate[]): Promise<boolean[]>;
  read(candidates: readonly Candidate[]): Promise<(KeyRow | undefined)[]>;
  /** Gives the key to the candidate if the row still has the generation seen and had expired when the candidate was received. */
  takeOver(wanted: readonly { candidate: Candidate; generation: number }[]): Promise<boolean[]>;
  /**
   * Marks the rows of published events completed and adds missing ones; other records' rows stay unchanged.
   * @returns in order, when the row expires; undefined if it was not completed now
   */
  complete(candidates: readonly Candidate[]): Promise<(number | undefined)[]>;
  /** Removes the candidate's own row unless it is completed. */
  remove(candidate: Candidate): Promise<void>;
  /** Removes up to `limit` rows that expired more than `keepSeconds` ago. Answers how many. */
  dropExpired(keepSeconds: number, limit: number): Promise<number>;
}

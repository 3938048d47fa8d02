import type { AppError } from '#lib/runtime';
import type { Store } from './nested-transactions.ts';

/** One request with a key, as stores see it. Two with the same tenant, credential and key hash are the same operation. */
export interface KeyedRequest {
  tenant: string;
  /** The API key of the request: the same idempotency key of two credentials is two keys. */
  credential: string;
  /** SHA-256 of the key: no store ever has the key itself. */
  keyHash: Buffer;
  requestHash: Buffer;
}

/** The part of an answer that is stored. */
export interface KeptResponse {
  status: number;
  /** By lower-case name. */
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

export type Found =
  /** A final answer, kept for so long still. */
  | { kind: 'completed'; response: KeptResponse; forSeconds: number }
  /** The key was used for a request with another hash. */
  | { kind: 'other_request' }
  | { kind: 'in_progress' }
  | { kind: 'none' };

/** The state of a key that was used before. */
export type Known = Exclude<Found, { kind: 'none' }>;

export type Begun<Effects> = Known | { kind: 'run'; run: Run<Effects> };

/**
 * How a run ended:
 *   kept     the record and the effect are durable, both
 *   lost     the lease was over: neither is, and they never will be; another may have run
 *   unknown  the connection went while they were being made durable: both are, or neither
 */
export type Ending = 'kept' | 'lost' | 'unknown';

/** One execution of the handler. Its methods @throw AppError store_unavailable if nothing was done, and never will be. */
export interface Run<Effects> {
  /** For the handler to write through: durable together with the record. */
  effects: Effects;
  /** Extends the lease. False: it is over. */
  renew(): Promise<boolean>;
  /**
   * Makes the effects durable now, with an answer that is replayed if no `complete` follows while the lease runs. `effects` are from
   * then on durable one by one.
   */
  commit(provisional: KeptResponse): Promise<Ending>;
  complete(response: KeptResponse): Promise<Ending>;
  /** Ends the run with nothing kept; after a `commit`, with the provisional answer as the final one. */
  release(): Promise<'released' | 'lost'>;
}

/**
 * How one request of a group ended:
 *   kept         its effect and, if it has a key, the record are durable
 *   in_progress  another request with its key is running
 *   alone        nothing was done: the group could not decide it, or failed because of its data; it must run alone
 *   lost         as in `Ending`
 *   unknown      as in `Ending`
 */
export type GroupEnding =
  | { kind: 'kept'; response: KeptResponse }
  | { kind: 'in_progress' | 'lost' | 'unknown' }
  | { kind: 'alone'; because?: AppError };

/**
 * Writes the effects of those requests of a group that run. A statement that it does not wait for is part of the transaction all the same: if it
 * fails, so does the group.
 *
 * @param running their places among the requests, in order
 * @returns their answers, in the same order
 */
export type WriteGroup<Effects> = (effects: Effects, running: readonly number[]) => Promise<KeptResponse[]>;

/**
 * The store decides: within a record's lifetime only one run of a key is ever kept. All methods @throw AppError store_unavailable.
 *
 * | the key's record           | its owner's lease | begin            |
 * |----------------------------|-------------------|------------------|
 * | none, or expired           | none, or over     | run              |
 * | none, or expired           | runs              | in_progress      |
 * | provisional                | runs              | in_progress      |
 * | provisional, same request  | over              | it is final now: completed |
 * | completed, same request    |                   | completed        |
 * | completed, another request |                   | other_request    |
 */
export interface IdempotencyStore<Effects = Store> {
  /** For handlers of requests without a key to write through. */
  unkeyed: Effects;
  begin(request: KeyedRequest): Promise<Begun<Effects>>;
  /** A final answer from memory, without asking the database; undefined says nothing. */
  recall(request: KeyedRequest): Promise<Known | undefined>;
  /**
   * Runs several requests in one transaction, each keyed one with its record; all or none are committed. Their keys must differ. A key that
   * has a record already, or is in use by another request, is not decided here: `alone`.
   *
   * @param requests undefined for one without a key
   * @returns the ending of each, in order
   */
  runTogether(requests: readonly (KeyedRequest | undefined)[], write: WriteGroup<Effects>): Promise<GroupEnding[]>;
  /** The key's present state, without beginning anything. */
  find(request: KeyedRequest): Promise<Found>;
}

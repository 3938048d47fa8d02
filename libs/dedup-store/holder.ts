/**
 * The record that holds a key. The table knows it exactly. Redis keeps ten bits of the event's id and four digits of the body's hash, which
 * fits into a key's cheapest form (redis-key-memory.ts): enough to say of almost every other record that it is not the holder, and never
 * enough to say that it is.
 */
import type { Candidate } from './ports.ts';

export interface KnownHolder {
  eventId: string;
  bodyHash: Buffer;
}

export interface RememberedHolder {
  eventId: null;
  /** The last two characters of the event's id. */
  eventIdEnd: string;
  /** See bodyTagOf. */
  bodyTag: number;
}

export type Holder = KnownHolder | RememberedHolder;

export const eventIdEndOf = (eventId: string): string => eventId.slice(-2);

/** 10,000 tags: the integers that Redis shares between all keys. */
export const bodyTagOf = (bodyHash: Buffer): number => bodyHash.readUInt32BE() % 10_000;

export const holderOf = ({ eventId, bodyHash }: Candidate): KnownHolder => ({ eventId, bodyHash });

/** False: certainly not. True of a known holder: certainly; of a remembered one: ask the table. */
export const mayHold = (candidate: Candidate, holder: Holder): boolean =>
  holder.eventId === null
    ? eventIdEndOf(candidate.eventId) === holder.eventIdEnd
    : candidate.eventId === holder.eventId;

/** True: certainly another body than the holder's. False of a remembered holder: one changed body in 10,000 passes for the same. */
export const isChanged = (candidate: Candidate, holder: Holder): boolean =>
  holder.eventId === null
    ? bodyTagOf(candidate.bodyHash) !== holder.bodyTag
    : !candidate.bodyHash.equals(holder.bodyHash);

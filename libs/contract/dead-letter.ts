/**
 * A record of `dead-letters`: the original key, headers and bytes as they were, and what happened to them in headers of its own.
 */
import { type DeadLetterReason, type DeadLetterStage, deadLetterStages } from './dead-letter-reasons.ts';
import { header, type HeaderText } from './headers.ts';
import { wholeNumber } from './received-webhook.ts';

export interface DeadLetterFacts {
  stage: DeadLetterStage;
  reason: DeadLetterReason;
  attempts: number;
  /** Names what died, the same however often its dead letter is written: topic-partition-offset of the record, or a delivery's id. */
  origin: string;
  /** Microseconds since the epoch. */
  at: number;
}

export function deadLetterHeaders(facts: DeadLetterFacts): Record<string, string> {
  return {
    [header.deadLetterStage]: facts.stage,
    [header.deadLetterReason]: facts.reason,
    [header.deadLetterAttempts]: String(facts.attempts),
    [header.deadLetterOrigin]: facts.origin,
    [header.deadLetterAt]: String(facts.at),
  };
}

/** The record that died, before it was shortened. */
interface ShortenedFrom {
  /** The length of its value. */
  bytes: number;
  /** The digest of its value, in hex. */
  sha256: string;
}

/** A dead letter as it is read. With stage and origin, the generation says which death it tells of: what was replayed may die again. */
export type ReadDeadLetter = Omit<DeadLetterFacts, 'reason'> & {
  /** Any word: another version may have written it. */
  reason: string;
  generation: number;
  shortenedFrom: ShortenedFrom | null;
};

export function parseDeadLetter(headers: HeaderText): ReadDeadLetter | { malformed: string } {
  const stage = deadLetterStages.find((known) => known === headers[header.deadLetterStage]);
  const attempts = wholeNumber(headers[header.deadLetterAttempts]);
  const at = wholeNumber(headers[header.deadLetterAt]);
  const reason = headers[header.deadLetterReason];
  const origin = headers[header.deadLetterOrigin];
  if (stage === undefined || attempts === undefined || at === undefined || !reason || !origin) {
    return { malformed: 'one of the hookline-dl- headers is missing or wrong' };
  }
  const generation = wholeNumber(headers[header.generation]) ?? 0;
  return { stage, reason, attempts, origin, at, generation, shortenedFrom: shortenedFromOf(headers) };
}

/** Null for a dead letter that is whole. */
function shortenedFromOf(headers: HeaderText): ShortenedFrom | null {
  const bytes = wholeNumber(headers[header.deadLetterBytes]);
  const sha256 = headers[header.deadLetterSha256];
  return bytes === undefined || sha256 === undefined || !/^[0-9a-f]{64}$/.test(sha256) ? null : { bytes, sha256 };
}

type RawHeaders = Readonly<Record<string, Buffer | readonly Buffer[]>>;

/**
 * The headers of the record that died, without those that the dead letter added, as the projector keeps them: JSON of base64, because
 * neither names nor values need be text that Postgres takes. Headers that say that the record was shortened stay: a replay looks for them.
 */
export function packHeaders(headers: RawHeaders): Buffer {
  const kept = Object.entries(headers).filter(([name]) => !addedHeaders.has(name));
  return Buffer.from(
    JSON.stringify(Object.fromEntries(kept.map(([name, values]) => [name, [values].flat().map(toBase64)]))),
  );
}

export function unpackHeaders(packed: Buffer): Record<string, Buffer[]> {
  const headers = JSON.parse(packed.toString()) as Record<string, string[]>;
  return Object.fromEntries(
    Object.entries(headers).map(([name, values]) => [name, values.map((value) => Buffer.from(value, 'base64'))]),
  );
}

const toBase64 = (bytes: Buffer): string => bytes.toString('base64');

/** Only another stage's copy is passed over: a record that names nobody is for all. */
export const isForAnother = (headers: HeaderText, stage: DeadLetterStage): boolean =>
  (headers[header.replayFor] ?? stage) !== stage;

/** Whether it is of a dead letter that was shortened: what is left of the record must not pass for it. */
export const isShortened = (headers: RawHeaders): boolean => header.deadLetterSha256 in headers;

const addedHeaders: ReadonlySet<string> = new Set([
  header.deadLetterStage,
  header.deadLetterReason,
  header.deadLetterAttempts,
  header.deadLetterOrigin,
  header.deadLetterAt,
]);

/** Stands for what belongs to no tenant, such as a record that names none. No tenant has this name; operators ask for it as `Hookline-Tenant: *`. */
export const noTenant = '*';

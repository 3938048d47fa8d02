/**
 * A record of `dead-letters`: the original key, headers and bytes as they were, and what happened to them in headers of its own.
 */
import { header, type HeaderText } from './headers.ts';
import { wholeNumber } from './received-webhook.ts';

export const deadLetterStages = ['dedup', 'fan-out', 'dispatcher', 'projector'] as const;
export type DeadLetterStage = (typeof deadLetterStages)[number];

export interface DeadLetterFacts {
  stage: DeadLetterStage;
  /** A stable word: malformed_record, data_invalid, retries_exhausted, endpoint_disabled, … */
  reason: string;
  attempts: number;
  /** Names what died, the same however often its letter is written: topic-partition-offset of the record, or a delivery's id. */
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

export function parseDeadLetter(headers: HeaderText): DeadLetterFacts | { malformed: string } {
  const stage = deadLetterStages.find((known) => known === headers[header.deadLetterStage]);
  const attempts = wholeNumber(headers[header.deadLetterAttempts]);
  const at = wholeNumber(headers[header.deadLetterAt]);
  const reason = headers[header.deadLetterReason];
  const origin = headers[header.deadLetterOrigin];
  if (stage === undefined || attempts === undefined || at === undefined || !reason || !origin) {
    return { malformed: 'one of the hookline-dl- headers is missing or wrong' };
  }
  return { stage, reason, attempts, origin, at };
}

import type { ProblemCode } from '#lib/problem';
import type { AppError } from '#lib/runtime';
import type { ActiveSource, Source } from '../sources/source.ts';
import type { ReadSoFar } from './body-reader.ts';

/** The source, if it exists. */
interface Addressed {
  source?: Source;
}

export interface Refused extends Addressed {
  kind: 'refused';
  code: ProblemCode;
  /** Details for people, beyond the code. */
  detail?: string;
  error?: AppError;
  /** As much of the body as was read before the refusal. */
  read?: ReadSoFar;
  /** Set if a retry time is known. */
  retryAfterSeconds?: number;
  /** Refused for lack of room; such webhooks are counted, not logged. */
  turnedAway?: true;
}

/** The outcome of one request. */
export type Outcome =
  | { kind: 'accepted'; source: ActiveSource; receiptId: string; traceparent: string }
  /** A provider's connection test, not a webhook. */
  | { kind: 'challenge'; source: ActiveSource; challenge: string }
  | Refused
  | ({ kind: 'client_gone' } & Addressed);

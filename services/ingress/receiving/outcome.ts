import type { AppError } from '#lib/errors';
import type { ProblemCode } from '#lib/problem';
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
  /** Set where it is known when it is worth coming again. */
  retryAfterSeconds?: number;
  /** There is no room for it; it is one of very many, which are counted and not logged. */
  turnedAway?: true;
}

/** The outcome of one request. */
export type Outcome =
  | { kind: 'accepted'; source: ActiveSource; receiptId: string; traceparent: string }
  /** No webhook, but a provider that asks whether somebody is there. */
  | { kind: 'challenge'; source: ActiveSource; challenge: string }
  | Refused
  | ({ kind: 'client_gone' } & Addressed);

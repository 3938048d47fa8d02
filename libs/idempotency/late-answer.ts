import { type Logger, toAppError } from '#lib/runtime';
import { asReplay } from './kept-response.ts';
import type { Outcome } from './keyed-run.ts';
import type { IdempotencyStore, KeptResponse, KeyedRequest } from './ports.ts';
import type { AnswerRefusal } from './refusals.ts';

interface Deps {
  store: Pick<IdempotencyStore<unknown>, 'find'>;
  log: Logger;
  answerRefusal: AnswerRefusal;
  onOutcome(outcome: Outcome): void;
}

/** Fields of a request for the log: never its key. */
export const factsOf = ({ tenant, keyHash }: KeyedRequest) => ({ tenant, keyHash: keyHash.toString('hex', 0, 8) });

/** Answers for an owner whose lease has expired: if another has run meanwhile, its response is sent, never a second one. */
export async function lateAnswer(
  { store, log, answerRefusal, onOutcome }: Deps,
  keyed: KeyedRequest,
): Promise<KeptResponse> {
  const facts = factsOf(keyed);
  onOutcome('lease_lost');
  log.warn({ event: 'idempotency.lease_lost', ...facts });
  try {
    const found = await store.find(keyed);
    if (found.kind === 'completed') return asReplay(found.response);
  } catch (error) {
    log.warn({ event: 'idempotency.store_away', ...facts, err: toAppError(error) });
    return answerRefusal({ kind: 'unavailable' });
  }
  return answerRefusal({ kind: 'in_progress' });
}

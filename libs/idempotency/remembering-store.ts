import { isAppError } from '#lib/runtime';
import type { IdempotencyStore, KeptResponse, KeyedRequest, Known, Run } from './ports.ts';

/**
 * Copies of final responses, in front of the store. A final response never changes, so a copy is never wrong: nothing needs correcting or
 * fencing, and losing all copies costs only time. An unknown key means nothing; only the store decides whether a request runs or is in
 * progress.
 */
export interface ResponseMemory {
  /** @throws AppError redis_unavailable, data_invalid: all the same to who asks */
  recall(request: KeyedRequest): Promise<{ requestHash: Buffer; response: KeptResponse } | undefined>;
  /** Entries that it has are not overwritten. @throws as `recall` */
  remember(answers: readonly RememberedAnswer[]): Promise<void>;
}

interface RememberedAnswer {
  request: KeyedRequest;
  response: KeptResponse;
  forSeconds: number;
}

/** Retries come within minutes; later ones ask the store. */
const maxMemorySeconds = 3_600;
/** Copies go before their record does, by more than clocks differ. */
const beforeExpirySeconds = 60;
/** Larger answers are few, and would fill the memory. */
const maxRememberedBytes = 16_384;

interface Options<Effects> {
  store: IdempotencyStore<Effects>;
  memory: ResponseMemory;
  ttlSeconds: number;
}

export function rememberingStore<Effects>({ store, memory, ttlSeconds }: Options<Effects>): IdempotencyStore<Effects> {
  /** Nobody waits for it, and nothing depends on it. */
  const remember = (answers: readonly RememberedAnswer[]): void => {
    const wanted = answers
      .map((answer) => ({ ...answer, forSeconds: Math.min(maxMemorySeconds, answer.forSeconds - beforeExpirySeconds) }))
      .filter(({ response, forSeconds }) => forSeconds > 0 && response.body.length <= maxRememberedBytes);
    if (wanted.length > 0) void memory.remember(wanted).catch(ignoreAway);
  };

  const recall = async (request: KeyedRequest): Promise<Known | undefined> => {
    const known = await memory.recall(request).catch(ignoreAway);
    if (known === undefined) return undefined;
    if (!known.requestHash.equals(request.requestHash)) return { kind: 'other_request' };
    // Already remembered, so its remaining time is not needed.
    return { kind: 'completed', response: known.response, forSeconds: 0 };
  };

  const rememberWhenKept = (run: Run<Effects>, request: KeyedRequest): Run<Effects> => ({
    ...run,
    async complete(response) {
      const ending = await run.complete(response);
      if (ending === 'kept') remember([{ request, response, forSeconds: ttlSeconds }]);
      return ending;
    },
  });

  return {
    ...store,
    recall,
    async runTogether(requests, write) {
      const endings = await store.runTogether(requests, write);
      remember(
        endings.flatMap((ending, at) => {
          const request = requests[at];
          const isKept = ending.kind === 'kept' && request !== undefined;
          return isKept ? [{ request, response: ending.response, forSeconds: ttlSeconds }] : [];
        }),
      );
      return endings;
    },
    async begin(request) {
      const recalled = await recall(request);
      if (recalled !== undefined) return recalled;
      const begun = await store.begin(request);
      if (begun.kind === 'completed') remember([{ request, ...begun }]);
      return begun.kind === 'run' ? { kind: 'run', run: rememberWhenKept(begun.run, request) } : begun;
    },
  };
}

function ignoreAway(error: unknown): undefined {
  // data_invalid: sealed under a key that is not listed any more. The record's own copy says so aloud.
  if (!isAppError(error, 'redis_unavailable') && !isAppError(error, 'data_invalid')) throw error;
}

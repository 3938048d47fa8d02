/** One keyed request that runs: what its handler sees, and how its response ends. */
import type { FastifyReply } from 'fastify';
import { AppError, type Clock, type Logger, toAppError } from '#lib/runtime';
import { keepLease } from './keep-lease.ts';
import { bytesOf, captureResponse, isOutcome, isPayload, type Payload, writeResponse } from './kept-response.ts';
import { factsOf, lateAnswer } from './late-answer.ts';
import type { Ending, GroupEnding, IdempotencyStore, KeptResponse, KeyedRequest, Run } from './ports.ts';
import type { AnswerRefusal } from './refusals.ts';

/** fresh: carried out, and kept. conflict: another was in progress. mismatch: the key was another request's. */
export type Outcome = 'fresh' | 'replayed' | 'conflict' | 'mismatch' | 'lease_lost';

/** The idempotency of one request as its handler sees it, with a key or without. */
export interface IdempotentRequest<Effects> {
  /** Writes through this are durable together with the record of the key; without a key, immediately. */
  effects: Effects;
  /** Runs work after the effects are durable. A crash may skip it: a sweep must find unfinished work. */
  afterCommit(work: () => void): void;
  /**
   * For handlers that make an effect durable and then wait for its result. If the process dies while they wait, `provisional` is replayed;
   * otherwise their response. Without a key this does nothing.
   *
   * @throws AppError store_unavailable if the effect is not known to be durable: let it end the handler
   */
  commit(provisional: { status: number; headers?: KeptResponse['headers']; body?: string | Buffer }): Promise<void>;
  /**
   * For routes with `config: { inGroups: true }`: runs the request in one transaction with others, before anything is written through
   * `effects`. `work` passes it to `runTogether` of the store, and resolves with its ending.
   *
   * @returns the response to send unchanged; or what to write through if the request has to run alone
   */
  join(work: (keyed: KeyedRequest | undefined) => Promise<GroupEnding>): Promise<Joined<Effects>>;
}

export type Joined<Effects> = { answer: KeptResponse } | { alone: IdempotentRequest<Effects> };

interface Deps<Effects> {
  store: IdempotencyStore<Effects>;
  lockSeconds: number;
  clock: Clock;
  log: Logger;
  answerRefusal: AnswerRefusal;
  onOutcome(outcome: Outcome): void;
}

export interface KeyedRun<Effects> {
  idempotent: IdempotentRequest<Effects>;
  /** From here on it is the handler that answers. */
  beginHandler(): void;
  /** @returns the payload to send: `payload` only after it is stored, or if nothing needs storing */
  end(reply: FastifyReply, payload: unknown): Promise<unknown>;
  /** For a request whose answer did not go through `end`. */
  abandon(): Promise<void>;
}

export function createKeyedRun<Effects>(
  { store, lockSeconds, clock, log, answerRefusal, onOutcome }: Deps<Effects>,
  { keyed, run, before }: { keyed: KeyedRequest; run: Run<Effects>; before: ReturnType<FastifyReply['getHeaders']> },
): KeyedRun<Effects> {
  const lease = keepLease(run, { lockSeconds, clock });
  const facts = factsOf(keyed);
  let handlerHasBegun = false;
  let hasEnded = false;
  let committed: (() => void)[] = [];

  const runAfterCommit = (): void => {
    const works = committed;
    committed = [];
    for (const work of works) work();
  };

  const refuse = (reply: FastifyReply, kind: 'in_progress' | 'unavailable' | 'not_keepable'): Buffer =>
    writeResponse(reply, answerRefusal({ kind }), before);

  const answerAsLate = async (reply: FastifyReply): Promise<Buffer> =>
    writeResponse(reply, await lateAnswer({ store, log, answerRefusal, onOutcome }, keyed), before);

  async function keep(reply: FastifyReply, payload: Payload): Promise<unknown> {
    let ending: Ending;
    try {
      ending = await run.complete(captureResponse(reply, payload));
    } catch (thrown) {
      const error = toAppError(thrown);
      const line = { event: 'idempotency.not_kept', ...facts, err: error };
      if (error.retryable) log.warn(line);
      else log.error(line);
      return refuse(reply, error.retryable ? 'unavailable' : 'not_keepable');
    }
    switch (ending) {
      case 'kept':
        onOutcome('fresh');
        runAfterCommit();
        return payload;
      case 'lost':
        return answerAsLate(reply);
      case 'unknown':
        log.warn({ event: 'idempotency.commit_unknown', ...facts });
        return refuse(reply, 'unavailable');
    }
  }

  return {
    idempotent: {
      effects: run.effects,
      afterCommit: (work) => void committed.push(work),
      async commit({ status, headers = {}, body }) {
        const ending = await run.commit({ status, headers, body: bytesOf(body) });
        if (ending !== 'kept') throw new AppError('store_unavailable', `committing an idempotent request: ${ending}`);
        runAfterCommit();
      },
      join: () => Promise.reject(new AppError('bug', 'a request that runs by itself can’t join others')),
    },
    beginHandler: () => void (handlerHasBegun = true),
    async end(reply, payload) {
      if (hasEnded) return payload;
      hasEnded = true;
      lease.stop();
      if (handlerHasBegun && isOutcome(reply.statusCode)) {
        if (isPayload(payload)) return keep(reply, payload);
        await run.release();
        log.error({ event: 'idempotency.answer_refused', ...facts, reason: 'a stream can’t be kept' });
        (payload as { destroy?: () => void }).destroy?.();
        return refuse(reply, 'not_keepable');
      }
      return (await run.release()) === 'lost' ? answerAsLate(reply) : payload;
    },
    async abandon() {
      if (hasEnded) return;
      hasEnded = true;
      lease.stop();
      log.error({ event: 'idempotency.answer_unseen', ...facts });
      await run.release();
    },
  };
}

/** One keyed request that runs: what its handler sees of it, and how its answer ends. */
import type { FastifyReply } from 'fastify';
import type { Clock } from '#lib/clock';
import { AppError, toAppError } from '#lib/errors';
import type { Logger } from '#lib/log';
import { keepLease } from './keep-lease.ts';
import {
  asReplay,
  bytesOf,
  captureResponse,
  isOutcome,
  isPayload,
  type Payload,
  writeResponse,
} from './kept-response.ts';
import type { Ending, IdempotencyStore, KeptResponse, KeyedRequest, Run } from './ports.ts';
import type { AnswerRefusal } from './refusals.ts';

/** fresh: carried out, and kept. conflict: another was in progress. mismatch: the key was another request's. */
export type Outcome = 'fresh' | 'replayed' | 'conflict' | 'mismatch' | 'lease_lost';

/** What a handler has of its request's key, or of there being none. */
export interface IdempotentRequest<Effects> {
  /** What to write through: durable together with the record of the key. Without a key, durable as it is written. */
  effects: Effects;
  /** For what must not happen unless the effects are durable. It may be left out by a crash: a sweep must find what it left. */
  afterCommit(work: () => void): void;
  /**
   * For handlers that make an effect durable and then wait for what comes of it. If the process dies while they wait, `provisional` is
   * replayed; else what they answer. Without a key: nothing to do.
   *
   * @throws AppError store_unavailable where the effect is not known to be durable: let it end the handler
   */
  commit(provisional: { status: number; headers?: KeptResponse['headers']; body?: string | Buffer }): Promise<void>;
}

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
  /** @returns what is sent: `payload` only once it is kept, or where nothing is to be kept */
  end(reply: FastifyReply, payload: unknown): Promise<unknown>;
  /** For a request whose answer went past `end`. */
  abandon(): Promise<void>;
}

export function createKeyedRun<Effects>(
  { store, lockSeconds, clock, log, answerRefusal, onOutcome }: Deps<Effects>,
  { keyed, run, before }: { keyed: KeyedRequest; run: Run<Effects>; before: ReturnType<FastifyReply['getHeaders']> },
): KeyedRun<Effects> {
  const lease = keepLease(run, { lockSeconds, clock });
  const facts = { tenant: keyed.tenant, keyHash: keyed.keyHash.toString('hex', 0, 8) };
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

  /** Another may have run meanwhile: its answer is the request's, and a second one there is not. */
  async function answerAsLate(reply: FastifyReply): Promise<Buffer> {
    onOutcome('lease_lost');
    log.warn({ event: 'idempotency.lease_lost', ...facts });
    try {
      const found = await store.find(keyed);
      if (found.kind === 'completed') return writeResponse(reply, asReplay(found.response), before);
    } catch (error) {
      log.warn({ event: 'idempotency.store_away', ...facts, err: toAppError(error) });
      return refuse(reply, 'unavailable');
    }
    return refuse(reply, 'in_progress');
  }

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

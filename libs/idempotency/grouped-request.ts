/**
 * One keyed request of a route that runs in groups. Nothing begins before its handler has everything to be written:
 *
 *   handler → join ─► kept: the response · in progress: 409 · lost: its successor's response, or 409 · unknown: 503
 *                 └─► alone: begins alone, like every other request
 *
 * A request that is refused earlier still gets the stored response of its key, if there is one: a different request with a used key gets
 * 422, whatever else is wrong with it.
 */
import type { FastifyReply } from 'fastify';
import { AppError, type Logger } from '#lib/runtime';
import { writeResponse } from './kept-response.ts';
import type { IdempotentRequest, Joined, Outcome } from './keyed-run.ts';
import { factsOf, lateAnswer } from './late-answer.ts';
import type { IdempotencyStore, KeptResponse, KeyedRequest, Known } from './ports.ts';
import type { AnswerRefusal } from './refusals.ts';

interface Deps<Effects> {
  store: Pick<IdempotencyStore<Effects>, 'find'>;
  log: Logger;
  answerRefusal: AnswerRefusal;
  onOutcome(outcome: Outcome): void;
  /** How a key that was used before is answered. */
  answerOf(known: Known): { answer: KeptResponse };
  unlessAway<T>(keyed: KeyedRequest, ask: () => Promise<T>): Promise<T | { answer: KeptResponse }>;
  beginAlone(): Promise<Joined<Effects>>;
}

export interface GroupedRequest<Effects> {
  idempotent: IdempotentRequest<Effects>;
  /** @returns the payload to send */
  end(reply: FastifyReply, payload: unknown): Promise<unknown>;
}

export function createGroupedRequest<Effects>(
  deps: Deps<Effects>,
  { keyed, before }: { keyed: KeyedRequest; before: ReturnType<FastifyReply['getHeaders']> },
): GroupedRequest<Effects> {
  const { store, log, answerRefusal, onOutcome, answerOf, unlessAway, beginAlone } = deps;
  let hasJoined = false;

  const join: IdempotentRequest<Effects>['join'] = async (work) => {
    hasJoined = true;
    const ending = await unlessAway(keyed, () => work(keyed));
    if ('answer' in ending) return ending;
    switch (ending.kind) {
      case 'kept':
        onOutcome('fresh');
        return { answer: ending.response };
      case 'in_progress':
        return answerOf({ kind: 'in_progress' });
      case 'alone':
        return beginAlone();
      case 'lost':
        return { answer: await lateAnswer(deps, keyed) };
      case 'unknown':
        log.warn({ event: 'idempotency.commit_unknown', ...factsOf(keyed) });
        return { answer: answerRefusal({ kind: 'unavailable' }) };
    }
  };

  return {
    idempotent: {
      get effects(): Effects {
        throw new AppError('bug', 'a request that is carried out in a group writes there');
      },
      afterCommit: () => undefined,
      commit: () => Promise.reject(new AppError('bug', 'a request that is carried out in a group commits there')),
      join,
    },
    async end(reply, payload) {
      if (hasJoined) return payload;
      const found = await unlessAway(keyed, () => store.find(keyed));
      if ('kind' in found && found.kind === 'none') return payload;
      const { answer } = 'answer' in found ? found : answerOf(found);
      return writeResponse(reply, answer, before);
    },
  };
}

/** A request without a key, of any route. */
export function createUnkeyed<Effects>(effects: Effects): IdempotentRequest<Effects> {
  const idempotent: IdempotentRequest<Effects> = {
    effects,
    afterCommit: (work) => work(),
    commit: async () => undefined,
    async join(work) {
      const ending = await work(undefined);
      if (ending.kind === 'kept') return { answer: ending.response };
      if (ending.kind === 'alone') return { alone: idempotent };
      throw new AppError('store_unavailable', `a request was carried out in a group: ${ending.kind}`);
    },
  };
  return idempotent;
}

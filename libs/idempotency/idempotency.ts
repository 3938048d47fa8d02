/**
 * The plugin: a POST with a key is executed once; repetitions get the same response.
 *
 *   preParsing   key read → body read → hash → store.begin ─► completed: replay · other request: 422 · in progress: 409
 *                                                        └─► run: on to parsing, validation, the handler
 *                routes that run in groups: only an immediate answer, see grouped-request.ts
 *   onSend       the handler's outcome → record and effects durable → the answer leaves
 *                anything else         → nothing stored             → the answer leaves
 *
 * `scopeOf` is called after every onRequest hook, so the caller is known by then.
 */
import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest, RequestPayload } from 'fastify';
import { type Clock, type Logger, toAppError } from '#lib/runtime';
import { createGroupedRequest, createUnkeyed, type GroupedRequest } from './grouped-request.ts';
import { readIdempotencyKey } from './idempotency-key.ts';
import { asReplay, writeResponse } from './kept-response.ts';
import { createKeyedRun, type IdempotentRequest, type KeyedRun, type Outcome } from './keyed-run.ts';
import type { Store } from './nested-transactions.ts';
import type { IdempotencyStore, KeptResponse, KeyedRequest, Known } from './ports.ts';
import { readBody, streamOf } from './read-body.ts';
import { type AnswerRefusal, problemAnswers, type Refusal } from './refusals.ts';
import { hashRequest } from './request-hash.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** On every request: one without a key writes as if there were no plugin. */
    readonly idempotent: IdempotentRequest<Store>;
  }
  interface FastifyContextConfig {
    /** `required`: without a key 400. `ignored`: executed each time. Default `optional`. */
    idempotencyKey?: 'optional' | 'required' | 'ignored';
    /** The handler joins a group (`request.idempotent.join`): nothing of the request begins before. */
    inGroups?: boolean;
  }
}

export interface IdempotencyOptions<Effects = Store> {
  store: IdempotencyStore<Effects>;
  /** The owner of the request's key. */
  scopeOf(request: FastifyRequest): { tenant: string; credential: string };
  /** How long an owner that is not heard of keeps others from running. */
  lockSeconds: number;
  clock: Clock;
  log: Logger;
  onOutcome?(outcome: Outcome): void;
  /** The format of refusals. Default: problemAnswers() */
  answerRefusal?: AnswerRefusal;
}

const plugin: FastifyPluginCallback<IdempotencyOptions<unknown>> = (app, options, done) => {
  addHooks(app, options);
  done();
};

/** The hooks are for the whole instance that it is registered with, not for a part of its own. */
export const idempotency = Object.assign(plugin, {
  [Symbol.for('skip-override')]: true,
  [Symbol.for('fastify.display-name')]: 'idempotency',
});

function addHooks(app: FastifyInstance, options: IdempotencyOptions<unknown>): void {
  const { store, scopeOf, log, onOutcome = () => undefined, answerRefusal = problemAnswers() } = options;
  const deps = { ...options, onOutcome, answerRefusal };
  const runs = new WeakMap<FastifyRequest, KeyedRun<unknown>>();
  const grouped = new WeakMap<FastifyRequest, GroupedRequest<unknown>>();
  const unkeyed = createUnkeyed(store.unkeyed);

  const refuse = (refusal: Refusal) => ({ answer: answerRefusal(refusal) });

  function answerOf(known: Known): { answer: KeptResponse } {
    switch (known.kind) {
      case 'completed':
        onOutcome('replayed');
        return { answer: asReplay(known.response) };
      case 'other_request':
        onOutcome('mismatch');
        return refuse({ kind: 'other_request' });
      case 'in_progress':
        onOutcome('conflict');
        return refuse({ kind: 'in_progress' });
    }
  }

  /** The result of `ask`; a store that is away becomes an answer, too. */
  async function unlessAway<T>(keyed: KeyedRequest, ask: () => Promise<T>): Promise<T | { answer: KeptResponse }> {
    try {
      return await ask();
    } catch (thrown) {
      const error = toAppError(thrown);
      if (!error.retryable || error.code === 'limit_reached') throw error;
      log.warn({ event: 'idempotency.store_away', tenant: keyed.tenant, err: error });
      return refuse({ kind: 'unavailable' });
    }
  }

  async function begin(
    keyed: KeyedRequest,
    before: ReturnType<FastifyReply['getHeaders']>,
  ): Promise<{ answer: KeptResponse } | { run: KeyedRun<unknown> }> {
    const begun = await unlessAway(keyed, () => store.begin(keyed));
    if ('answer' in begun) return begun;
    return begun.kind === 'run' ? { run: createKeyedRun(deps, { keyed, run: begun.run, before }) } : answerOf(begun);
  }

  /** It stays out of the store until its handler joins a group. */
  async function admitToGroup(
    request: FastifyRequest,
    keyed: KeyedRequest,
    before: ReturnType<FastifyReply['getHeaders']>,
  ): Promise<{ answer: KeptResponse } | undefined> {
    const known = await store.recall(keyed);
    if (known !== undefined) return answerOf(known);
    const beginAlone = async () => {
      const begun = await begin(keyed, before);
      if ('answer' in begun) return begun;
      begun.run.beginHandler();
      runs.set(request, begun.run);
      return { alone: begun.run.idempotent };
    };
    grouped.set(request, createGroupedRequest({ ...deps, answerOf, unlessAway, beginAlone }, { keyed, before }));
    return undefined;
  }

  /** An answer to send at once, or the body for the parser. */
  async function admit(
    request: FastifyRequest,
    reply: FastifyReply,
    payload: RequestPayload,
  ): Promise<{ answer: KeptResponse } | { payload: RequestPayload }> {
    const { idempotencyKey: wanted = 'optional', inGroups = false } = request.routeOptions.config;
    if (request.method !== 'POST' || request.is404 || wanted === 'ignored') return { payload };
    const read = readIdempotencyKey(request.raw.rawHeaders);
    if (read === undefined) return wanted === 'required' ? refuse({ kind: 'key_missing' }) : { payload };
    if ('problem' in read) return refuse({ kind: 'key_invalid', problem: read.problem });

    const body = await readBody(request, payload);
    const { method, url = '' } = request.raw;
    const keyed: KeyedRequest = {
      ...scopeOf(request),
      keyHash: createHash('sha256').update(read.key, 'latin1').digest(),
      requestHash: hashRequest({ method: method ?? request.method, url, body }),
    };
    if (inGroups) return (await admitToGroup(request, keyed, reply.getHeaders())) ?? { payload: streamOf(body) };
    const begun = await begin(keyed, reply.getHeaders());
    if ('answer' in begun) return begun;
    runs.set(request, begun.run);
    return { payload: streamOf(body) };
  }

  app.decorateRequest('idempotent', {
    getter() {
      return ((grouped.get(this) ?? runs.get(this))?.idempotent ?? unkeyed) as IdempotentRequest<Store>;
    },
  });
  app.addHook('preParsing', (request, reply, payload, done) => {
    admit(request, reply, payload).then(
      (admitted) => {
        if ('payload' in admitted) done(null, admitted.payload);
        else void reply.send(writeResponse(reply, admitted.answer, reply.getHeaders()));
      },
      (error: Error) => {
        // The rest of the body is not waited for.
        void reply.header('connection', 'close');
        done(error);
      },
    );
  });
  app.addHook('preHandler', (request, _reply, done) => {
    runs.get(request)?.beginHandler();
    done();
  });
  app.addHook('onSend', async (request, reply, payload) => {
    const ended = (runs.get(request) ?? grouped.get(request))?.end(reply, payload);
    return ended === undefined ? payload : ended;
  });
  app.addHook('onResponse', async (request) => runs.get(request)?.abandon());
}

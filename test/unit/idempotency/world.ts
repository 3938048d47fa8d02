import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import {
  type GroupEnding,
  idempotency,
  type IdempotencyStore,
  type IdempotentRequest,
  type KeptResponse,
  type Outcome,
  sendResponse,
} from '#lib/idempotency';
import { problem, problemContentType } from '#lib/problem';
import type { Clock, Logger } from '#lib/runtime';
import { type Answer, ask, type Asking } from '../api/ask.ts';

// Each subject has effects of its own kind.
// oxlint-disable-next-line typescript/no-explicit-any
export type AnyStore = IdempotencyStore<any>;
type Effects = AnyStore['unkeyed'];

/** A kind of store, and what the cases need of it. */
export interface Subject {
  /** As another process has it: all of one subject share what lies behind them. */
  createStore(times: { lockSeconds: number; ttlSeconds: number }): AnyStore;
  /** Long enough for a busy machine, short enough to be waited for. */
  lockSeconds: number;
  /** The clock that leases are renewed by. */
  clock: Clock;
  pass(ms: number): Promise<void>;
  /** Makes an effect with this name. */
  add(effects: Effects, name: string): Promise<void>;
  /** The names of those that are durable, in order. */
  effects(): Promise<string[]>;
}

interface Handling extends IdempotentRequest<Effects> {
  request: FastifyRequest;
  reply: FastifyReply;
  add(name: string): Promise<void>;
}

export type Handler = (handling: Handling) => unknown;

export interface WorldOptions {
  handler?: Handler;
  instances?: number;
  ttlSeconds?: number;
  /** Between the plugin and the store of an instance. */
  wrap?: (store: AnyStore, instance: number) => AnyStore;
  /** Instances whose leases are not renewed, like those of a frozen process. */
  paused?: readonly number[];
  /** Before the plugin sees a request. */
  onRequest?: (request: FastifyRequest) => void;
}

/** Servers that share a store, with one route for each case to say what it does. */
export async function openWorld(subject: Subject, options: WorldOptions = {}) {
  const { instances = 1, ttlSeconds = 259_200, handler = createThing, paused = [], wrap = (store) => store } = options;
  const outcomes: Outcome[] = [];
  const lines: Record<string, unknown>[] = [];
  const keepLine = (line: Record<string, unknown>): void => void lines.push(line);
  const log: Logger = { debug: keepLine, info: keepLine, warn: keepLine, error: keepLine, isOn: () => true };
  const stillClock: Clock = {
    ...subject.clock,
    sleep: (_ms, signal) => untilAborted(signal),
    sleepUntilNext: (_ms, signal) => untilAborted(signal),
  };

  const apps = Array.from({ length: instances }, (_, instance): FastifyInstance => {
    const app = fastify({ bodyLimit: 4_096 });
    const store = wrap(subject.createStore({ lockSeconds: subject.lockSeconds, ttlSeconds }), instance);
    app.setErrorHandler((error: { statusCode?: number }, _request, reply) => {
      const body = problem(error.statusCode === 413 ? 'payload_too_large' : 'internal_error');
      return reply
        .code(error.statusCode ?? 500)
        .header('content-type', problemContentType)
        .send(JSON.stringify(body));
    });
    app.addHook('onRequest', (request, _reply, done) => {
      options.onRequest?.(request);
      done();
    });
    void app.register(idempotency, {
      store,
      scopeOf: ({ headers }) => ({
        tenant: String(headers['tenant'] ?? 'default'),
        credential: String(headers['authorization'] ?? 'nobody'),
      }),
      lockSeconds: subject.lockSeconds,
      clock: paused.includes(instance) ? stillClock : subject.clock,
      log,
      onOutcome: (outcome: Outcome) => outcomes.push(outcome),
    });
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    const handle = (request: FastifyRequest, reply: FastifyReply): unknown => {
      const idempotent = request.idempotent as unknown as IdempotentRequest<Effects>;
      return handler({
        ...idempotent,
        request,
        reply,
        add: (name) => subject.add(idempotent.effects, name),
      });
    };
    const body = { type: 'object', properties: { limit: { type: 'number' } } } as const;
    app.route({ method: ['POST', 'GET', 'PUT', 'DELETE', 'PATCH'], url: '/things', handler: handle });
    app.route({ method: 'POST', url: '/others', handler: handle });
    app.route({ method: 'POST', url: '/checked', schema: { body }, handler: handle });
    const inGroups = { inGroups: true };
    app.route({ method: 'POST', url: '/grouped', schema: { body }, config: inGroups, handler: addInGroup(store) });
    app.route({ method: 'POST', url: '/strict', config: { idempotencyKey: 'required' }, handler: handle });
    return app;
  });

  /** Adds a thing, in a group of one. */
  function addInGroup(store: AnyStore) {
    return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const number = (things += 1);
      const idempotent = request.idempotent as unknown as IdempotentRequest<Effects>;
      const joined = await idempotent.join(async (keyed) => {
        const endings = await store.runTogether([keyed], async (effects, running) => {
          await subject.add(effects, `thing ${number}`);
          return running.map(() => thingAnswer(number));
        });
        return endings[0] as GroupEnding;
      });
      if ('answer' in joined) return sendResponse(reply, joined.answer);
      await subject.add(joined.alone.effects, `thing ${number}`);
      return sendResponse(reply, thingAnswer(number));
    };
  }

  return {
    outcomes,
    lines,
    apps,
    /** A POST of `{"a":1}` with the key `k` at `/things`, but for what is given. */
    post: ({ instance = 0, key = 'k', headers, ...asking }: Posting = {}): Promise<Answer> =>
      ask(apps[instance] as FastifyInstance, {
        method: 'POST',
        path: '/things',
        body: '{"a":1}',
        ...asking,
        headers: { 'content-type': 'application/json', ...(key !== null && { 'idempotency-key': key }), ...headers },
      }),
    async close() {
      for (const app of apps) app.server.closeAllConnections();
      await Promise.all(apps.map((app) => app.close()));
    },
  };
}

export type World = Awaited<ReturnType<typeof openWorld>>;

interface Posting extends Partial<Asking> {
  instance?: number;
  key?: string | null;
}

const thingAnswer = (number: number): KeptResponse => ({
  status: 201,
  headers: { 'content-type': 'application/json; charset=utf-8', location: `/things/${number}` },
  body: Buffer.from(JSON.stringify({ number })),
});

let things = 0;
/** Answers another thing each time that it runs. */
export const createThing: Handler = async ({ add, reply }) => {
  const number = (things += 1);
  await add(`thing ${number}`);
  return reply.code(201).header('location', `/things/${number}`).send({ number });
};

export const isReplay = ({ headers }: Answer): boolean => headers['idempotent-replayed'] === 'true';

/** A handler that stops in the middle and continues on demand. */
export function createGate(work: Handler = createThing) {
  const entered = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  const handler: Handler = async (handling) => {
    entered.resolve();
    await opened.promise;
    return work(handling);
  };
  return { handler, entered: entered.promise, open: () => opened.resolve() };
}

const untilAborted = (signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted === true) resolve();
    else signal?.addEventListener('abort', () => resolve(), { once: true });
  });

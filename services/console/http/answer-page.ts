import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Clock } from '#lib/clock';
import { type ApiAccess, createConsoleApi, type WriteApi } from '../api-calls/console-api.ts';
import { ApiRefusal } from '../api-calls/refusal.ts';
import type { ApiTransport } from '../api-calls/transport.ts';
import type { ConsoleMetrics } from '../metrics.ts';
import { type PageResult, problem } from '../page-result.ts';
import type { Page, PageContext, Settings, Submitted } from '../page.ts';
import { tenantBase } from '../pages/shell.ts';
import { keyField } from '../parts/form.ts';
import { problemOfFailure } from '../problem-of-failure.ts';
import { findSession, type FoundSession } from '../session/find-session.ts';
import { createSessionActions } from '../session/session-actions.ts';
import { tokenIn } from '../session/session-cookie.ts';
import { allTenants, hasScope } from '../session/session.ts';
import { createSignInLimit } from '../session/sign-in-limit.ts';
import { judge } from './judge.ts';
import { queryOf } from './request-state.ts';
import type { SendResult } from './send-result.ts';

interface Options {
  transport: ApiTransport;
  settings: Settings;
  origin: string | undefined;
  newKey(): string;
  clock: Clock;
  metrics: ConsoleMetrics;
  isSecure(request: FastifyRequest): boolean;
  sendResult: SendResult;
}

interface AnswerPage {
  routeOf(page: Page): Pick<RouteOptions, 'onRequest' | 'handler' | 'bodyLimit'>;
  /** Asked once a request; the session is then part of its state. */
  findSession(request: FastifyRequest): Promise<FoundSession>;
}

/** As the API takes them. */
const idempotencyKey = /^[\x21-\x7e]{8,200}$/;
/** For forms that anyone may send. */
const maxPublicFormBytes = 16_384;

/** Judges the requests for pages, gives them to their handlers, and sends what these answer. */
export function createAnswerPage(options: Options): AnswerPage {
  const { transport, settings, origin, newKey, clock, metrics, isSecure, sendResult } = options;
  const takeSignIn = createSignInLimit(clock);

  const apiAs =
    ({ state }: FastifyRequest) =>
    (
      credential: string | undefined,
      more: Partial<Pick<ApiAccess, 'tenant' | 'idempotencyKey' | 'asked'>> = {},
    ): WriteApi =>
      createConsoleApi({
        transport,
        clock,
        credential,
        newKey,
        traceparent: state.span.traceparent,
        asked: [],
        ...more,
      });

  async function find(request: FastifyRequest): Promise<FoundSession> {
    const token = tokenIn(request.headers.cookie, isSecure(request));
    if (token === undefined) return { kind: 'none' };
    const found = await findSession(token, (tenant) => apiAs(request)(token, { tenant }).ask('/me'));
    if (found.kind === 'found') request.state.session = found.session;
    return found;
  }

  function contextOf(page: Page, request: FastifyRequest): PageContext & Partial<Submitted> {
    const { session, tenant, asked } = request.state;
    const form = formOf(request);
    const key = form.get(keyField);
    form.delete(keyField);
    const common = {
      params: request.params as Record<string, string>,
      query: queryOf(request),
      base: settings.base,
      settings,
      clock,
      newKey,
      form,
    };
    if (session === undefined || page.access === 'public')
      return {
        ...common,
        ...{ isSecure: isSecure(request), findSession: () => find(request) },
        actions: createSessionActions({ apiAs: apiAs(request), takeSignIn: () => takeSignIn(request.ip), metrics }),
        idempotencyKey: key ?? newKey(),
      } as PageContext;
    const ofOperator = page.access === 'operator' ? allTenants : tenant;
    const api = apiAs(request)(session.token, {
      asked,
      ...(session.tenant === undefined && { tenant: ofOperator }),
      ...(key !== null && { idempotencyKey: key }),
    });
    return {
      ...common,
      ...{ session, api, can: (scope: Parameters<typeof hasScope>[1]) => hasScope(session, scope) },
      ...(tenant !== undefined && { tenant, t: tenantBase(settings.base, tenant) }),
    };
  }

  async function answer(page: Page, request: FastifyRequest): Promise<PageResult> {
    const isForm = request.method === 'POST';
    const handler = page.handlers[isForm ? 'POST' : 'GET'];
    if (handler === undefined) return problem(404);
    if (isForm && page.access !== 'public' && !idempotencyKey.test(formOf(request).get(keyField) ?? ''))
      return problem(400, { explanation: 'The form is incomplete. Open its page again, and send it from there.' });
    try {
      return await handler.answer(contextOf(page, request) as never);
    } catch (error) {
      if (error instanceof ApiRefusal) return problemOfFailure(error.failure);
      throw error;
    }
  }

  return {
    findSession: find,
    routeOf: (page) => ({
      ...(page.access === 'public' && { bodyLimit: maxPublicFormBytes }),
      // Before the body is read.
      async onRequest(request: FastifyRequest, reply: FastifyReply) {
        const refusal = await judge(page, request, { findSession: find, origin });
        return refusal === undefined ? undefined : sendResult(reply, refusal, page);
      },
      handler: async (request, reply) => sendResult(reply, await answer(page, request), page),
    }),
  };
}

const formOf = ({ body }: FastifyRequest): URLSearchParams =>
  body instanceof URLSearchParams ? new URLSearchParams(body) : new URLSearchParams();

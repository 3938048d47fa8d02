import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { ApiError } from '#client';
import type { Capability, Scope } from '#lib/api-contract';
import { maxPayloadBytes } from '#lib/contract';
import { withoutPort } from '#lib/net';
import { type ApiAccess, createConsoleApi, type WriteApi } from '../api-calls/console-api.ts';
import { createKeptResults, type OpenCatalog } from '../catalog/index.ts';
import type { ConsoleMetrics } from '../metrics.ts';
import { moved, type PageResult, problem } from '../page-result.ts';
import type { CatalogContext, Face, Page, PublicFormContext } from '../page.ts';
import { problemOfFailure } from '../problem-of-failure.ts';
import { allTenants, may } from '../reader.ts';
import {
  createClientLimit,
  createSessionActions,
  findSession,
  type FoundSession,
  hasProbe,
  looksPerMinute,
  signInsPerMinute,
  tokenIn,
} from '../session/index.ts';
import { keyField } from '../ui/form.ts';
import { portalBase, tenantBase } from '../ui/shell.ts';
import { type CheckDeps, checkRequest, createAddressLimit } from './check-request.ts';
import { isFramed, queryOf } from './request-state.ts';
import type { Sending, SendResult } from './send-result.ts';

/** How many bytes a form may have. */
export const formLimits = {
  /** For those who have not signed in. */
  public: 16 * 1024,
  /** The largest is that of an endpoint, with a certificate and its key. */
  usual: 256 * 1024,
  /** For pages that take a payload (`takesPayload`): a character of it can take three. */
  payload: 3 * maxPayloadBytes + 64 * 1024,
} as const;

interface Options extends Omit<Sending, 'assets'>, Pick<ApiAccess, 'transport' | 'clock'>, Pick<CheckDeps, 'origin'> {
  openCatalog: OpenCatalog;
  metrics: ConsoleMetrics;
  sendResult: SendResult;
}

type PageRoute = Pick<RouteOptions, 'onRequest' | 'handler' | 'bodyLimit'>;

interface AnswerPage {
  routeOf(page: Page): PageRoute;
  /** The same page with a slash at the end of its path: if there is a page, it is the one without. */
  slashRouteOf(page: Page): PageRoute;
  /** Asked once a request; the session is then part of its state. */
  findSession(request: FastifyRequest, face: Face): Promise<FoundSession>;
}

/** As the API takes them. */
const idempotencyKey = /^[\x21-\x7e]{8,200}$/;
/** Pages of the catalog for each client address: more than a reader opens, and what a crawler may ask of a site. */
export const catalogRate = { perSecond: 20, burst: 200 };

/** Vets the requests for pages, gives them to their handlers, and sends what these answer. */
export function createAnswerPage(options: Options): AnswerPage {
  const { transport, openCatalog, settings, origin, originOf, newKey, clock, metrics, isSecure, sendResult } = options;
  const takeSignIn = createClientLimit(clock, signInsPerMinute);
  const takeLook = createClientLimit(clock, looksPerMinute);
  const takeCatalogPage = createAddressLimit(catalogRate, clock);
  const keptResults = createKeptResults();

  const apiAs = (
    { state, ip }: FastifyRequest,
    credential: string | undefined,
    more: Pick<Partial<ApiAccess>, 'tenant' | 'idempotencyKey' | 'asked' | 'left'>,
  ): WriteApi =>
    createConsoleApi({
      transport,
      clock,
      credential,
      clientAddress: withoutPort(ip),
      newKey,
      traceparent: state.span.traceparent,
      asked: [],
      left: state.left,
      ...more,
    });

  async function find(request: FastifyRequest, face: Face): Promise<FoundSession> {
    if (face === 'catalog') return { kind: 'none' };
    const token = tokenIn(request.headers.cookie, { face, isSecure: isSecure(request) });
    if (token === undefined) return { kind: 'none' };
    const found = await findSession(token, (tenant) => apiAs(request, token, { tenant }).ask('GET /v1/me'));
    if (found.kind !== 'found') return found;
    // A customer's session is none in the console, whatever cookie it is in; and the other way round.
    const isCustomer = found.session.portal !== undefined;
    if (isCustomer !== (face === 'portal')) return { kind: 'none' };
    request.state.session = found.session;
    return found;
  }

  function contextOf(page: Page, request: FastifyRequest) {
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
    if (page.access === 'catalog') {
      const { state } = request;
      const onAge = (ageSeconds: number): void => void (state.ageSeconds = Math.max(ageSeconds, state.ageSeconds ?? 0));
      const catalog = openCatalog({ traceparent: state.span.traceparent, onAge });
      return { ...common, catalog, origin: originOf(request) } satisfies CatalogContext;
    }
    if (session === undefined || page.access === 'public') {
      const isEmbeddable = settings.frameOrigins.length > 0 && isSecure(request);
      const isIn = isEmbeddable && isFramed(request);
      return {
        ...common,
        isSecure: isSecure(request),
        isEmbeddable,
        frame: isIn ? { keepsCookies: hasProbe(request.headers.cookie) } : undefined,
        findSession: () => find(request, page.face),
        actions: createSessionActions({
          // Redeeming a code uses it up, whoever waits for the answer.
          apiAs: (credential, more) => apiAs(request, credential, { ...more, left: undefined }),
          takeSignIn: () => takeSignIn(request.ip),
          takeLook: () => takeLook(request.ip),
          metrics,
        }),
        idempotencyKey: key ?? newKey(),
      } satisfies PublicFormContext;
    }
    const ofOperator = page.access === 'operator' ? allTenants : tenant;
    const api = apiAs(request, session.token, {
      asked,
      ...(session.tenant === undefined && { tenant: ofOperator }),
      ...(key !== null && { idempotencyKey: key }),
    });
    return {
      ...common,
      session,
      api,
      can: (scope: Scope | 'operator', capability?: Capability) => may(session, scope, capability),
      isCustomer: session.portal !== undefined,
      ...(tenant !== undefined && {
        tenant,
        t: page.face === 'portal' ? portalBase(settings.base) : tenantBase(settings.base, tenant),
      }),
    };
  }

  async function answer(page: Page, request: FastifyRequest): Promise<PageResult> {
    const isForm = request.method === 'POST';
    const handler = page.handlers[isForm ? 'POST' : 'GET'];
    if (handler === undefined) return problem(404);
    if (isForm && page.access !== 'public' && !idempotencyKey.test(formOf(request).get(keyField) ?? ''))
      return problem(400, { explanation: 'The form is incomplete. Open its page again and resubmit it.' });
    try {
      const context = contextOf(page, request);
      const make = async (): Promise<PageResult> => handler.answer(context as never);
      const result = await (page.access === 'catalog'
        ? keptResults.of(`${originOf(request)} ${request.url}`, (context as CatalogContext).catalog, make)
        : make());
      return (await refusalOfTenant(page, request)) ?? result;
    } catch (error) {
      if (error instanceof ApiError) return problemOfFailure(error.failure);
      throw error;
    }
  }

  /** The operator may name any tenant. A page that has asked the API nothing can't know that its tenant was deleted. */
  async function refusalOfTenant({ access }: Page, request: FastifyRequest): Promise<PageResult | undefined> {
    const { session, tenant, asked } = request.state;
    if (access !== 'tenant' || session === undefined || session.tenant !== undefined || asked.length > 0)
      return undefined;
    const me = await apiAs(request, session.token, { tenant }).ask('GET /v1/me');
    return me.ok ? undefined : problemOfFailure(me.failure);
  }

  const routeWith = (page: Page, resultOf: (request: FastifyRequest) => Promise<PageResult>): PageRoute => ({
    ...(page.access === 'public' && { bodyLimit: formLimits.public }),
    ...(page.takesPayload === true && { bodyLimit: formLimits.payload }),
    // Before the body is read.
    async onRequest(request: FastifyRequest, reply: FastifyReply) {
      const waitSeconds = page.access === 'catalog' ? takeCatalogPage(request.ip) : 0;
      if (waitSeconds > 0) return sendResult(reply, problem(429, { retryAfterSeconds: waitSeconds }), page);
      const refusal = await checkRequest(page, request, { findSession: find, origin });
      return refusal === undefined ? undefined : sendResult(reply, refusal, page);
    },
    handler: async (request, reply) => sendResult(reply, await resultOf(request), page),
  });

  return {
    findSession: find,
    routeOf: (page) => routeWith(page, (request) => answer(page, request)),
    slashRouteOf: (page) =>
      routeWith(page, async (request) => {
        const result = await answer(page, request);
        const isPage = result.kind === 'page' && result.status === 200;
        // A redirect leads to a page: what is not there, is so at this address too.
        return isPage ? moved(withoutSlash(request.url, settings.base)) : result;
      }),
  };
}

/** The path and query, from the base on. */
const withoutSlash = (url: string, base: string): string => url.slice(base.length).replace(/\/(?=\?|$)/, '');

const formOf = ({ body }: FastifyRequest): URLSearchParams =>
  body instanceof URLSearchParams ? new URLSearchParams(body) : new URLSearchParams();

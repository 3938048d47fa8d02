import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Transport } from '#client';
import {
  answerClientError,
  createKnownPaths,
  hasClientLeft,
  ignoreExpectHeader,
  type Networks,
  problemOfHead,
  trusting,
  validateHostOurselves,
} from '#lib/net';
import { type Clock, createId, type Logger } from '#lib/runtime';
import { attribute, observe, traceIdOf, type Tracer } from '#lib/telemetry';
import { type CatalogSettings, createCatalogs } from './catalog/index.ts';
import { createAnswerPage, formLimits } from './http/answer-page.ts';
import { serveAccents, serveAssets } from './http/assets.ts';
import { createSendResult, faceOfPath, securityHeaders, type Sending } from './http/send-result.ts';
import { newState, pathOf, type RequestState, routeOf } from './http/request-state.ts';
import type { ConsoleMetrics } from './metrics.ts';
import { problem, type ProblemStatus } from './page-result.ts';
import type { Page } from './page.ts';
import { pagesOf } from './pages.ts';

export interface AppDeps extends Pick<Sending, 'settings' | 'assets' | 'newKey'> {
  transport: Transport;
  /** The public origin; undefined: that of each request. */
  origin: string | undefined;
  trustedProxies: Networks;
  clock: Clock;
  metrics: ConsoleMetrics;
  tracer: Tracer;
  log: Logger;
  /** Whose event types are the catalog; undefined: there is none. */
  catalog: CatalogSettings | undefined;
  /** Default: those that the faces have. */
  pages?: readonly Page[];
}

/** Time limit of a client's whole request. */
const requestTimeoutMs = 30_000;

export function buildApp(deps: AppDeps): FastifyInstance {
  const { settings, assets, clock } = deps;
  const app = fastify({
    logger: false,
    bodyLimit: formLimits.usual,
    requestTimeout: requestTimeoutMs,
    // A request that arrives during the stop is served, and its connection closed.
    return503OnClosing: false,
    http: validateHostOurselves,
    clientErrorHandler: answerClientError,
    trustProxy: trusting(deps.trustedProxies),
    genReqId: () => createId('req', clock.nowMs()),
    // An id of any length is an id that does not exist.
    routerOptions: { maxParamLength: 16_384 },
    frameworkErrors: (_error, request, reply) => {
      begin(request, reply);
      sendResult(reply, problem(404));
    },
  });
  const isSecure = ({ protocol }: FastifyRequest): boolean =>
    protocol === 'https' || deps.origin?.startsWith('https:') === true;
  const originOf = ({ protocol, host }: FastifyRequest): string => deps.origin ?? `${protocol}://${host}`;
  const { faces } = settings;
  const sendResult = createSendResult({ ...deps, originOf, isSecure });
  const openCatalog = createCatalogs(deps);
  const answerPage = createAnswerPage({ ...deps, openCatalog, originOf, isSecure, sendResult });

  function begin(request: FastifyRequest, reply: FastifyReply): void {
    request.state = newState(request, reply, deps.tracer);
    void reply.headers(securityHeaders).header('x-request-id', request.id);
  }

  ignoreExpectHeader(app.server);
  // Bodies are forms alone.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<string>('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, new URLSearchParams(body)),
  );
  app.decorateRequest('state', null as unknown as RequestState);
  /** The page of a path, and the methods that it has. */
  const knownPaths = createKnownPaths<{ allowed: string; page: Page }>();
  app.addHook('onRequest', async (request, reply) => {
    begin(request, reply);
    const wrong = problemOfHead(request.raw);
    if (wrong !== undefined)
      return sendResult(reply.header('connection', 'close'), problem(400, { explanation: `${wrong}.` }));
    // An id is part of the path: without it nobody knows that path, whatever the method.
    if (Object.values(request.params ?? {}).includes('')) {
      reply.callNotFound();
      return reply;
    }
    const known = request.is404 ? knownPaths.find(request.raw.url ?? '') : undefined;
    return known && sendResult(reply, problem(405, { allow: known.allowed }), known.page);
  });
  app.addHook('onResponse', async (request, reply) => report(deps, request, reply));
  app.setNotFoundHandler(async (request, reply) => {
    // Only for what is around the page: it is the same 404 for everyone.
    await answerPage.findSession(request, faceOfPath(pathOf(request), settings));
    return sendResult(reply, problem(404));
  });
  app.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
    const status = hasClientLeft(request.raw) ? 400 : statusOf(error.statusCode);
    if (status === 500) deps.log.error({ event: 'request.failed', requestId: request.id, err: error });
    return sendResult(reply, problem(status));
  });
  app.addHook('onRoute', ({ url }) => {
    // A path that is not known must be a 404, whatever it looks like.
    if (url.includes('*')) throw new Error(`${url} would answer for paths that are not known`);
  });

  /** 405 with Allow, whoever asks. Methods that no page has come to the hook of unknown paths. */
  function refuseOthers(url: string, methods: readonly string[], page: Page): void {
    const all = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].sort();
    const allowed = all.join(', ');
    knownPaths.add(url, { allowed, page });
    app.route({
      url,
      method: app.supportedMethods.filter((method) => !all.includes(method)),
      onRequest: async (_request, reply) => sendResult(reply, problem(405, { allow: allowed }), page),
      handler: (_request, reply) => reply,
    });
  }

  serveAssets(app, { assets, base: settings.base, sendResult });
  if (faces.includes('portal')) serveAccents(app, { base: settings.base, sendResult });
  const shown = faces.filter((face) => face !== 'catalog' || deps.catalog !== undefined);
  for (const page of deps.pages ?? pagesOf(shown)) {
    const url = settings.base + page.path;
    const methods = Object.keys(page.handlers);
    for (const method of methods) app.route({ method, url, ...answerPage.routeOf(page) });
    refuseOthers(url, methods, page);
    if (page.access !== 'catalog' || page.isDocument) continue;
    app.route({ method: 'GET', url: `${url}/`, ...answerPage.slashRouteOf(page) });
    refuseOthers(`${url}/`, methods, page);
  }
  return app;
}

const known: readonly ProblemStatus[] = [400, 408, 413, 415];
const statusOf = (status: number | undefined): ProblemStatus => known.find((one) => one === status) ?? 500;

function report({ metrics, log }: AppDeps, request: FastifyRequest, reply: FastifyReply): void {
  const { id: requestId, method, state } = request;
  const { span, session, tenant } = state;
  const route = routeOf(request) ?? 'unknown';
  const { statusCode: status, elapsedTime: durationMs } = reply;
  metrics.requests.inc({ route, status });
  observe(metrics.requestSeconds, durationMs / 1_000, { labels: { route }, exemplar: span.exemplar });
  if (log.isOn('info'))
    log.info({
      event: 'request.answered',
      method,
      route,
      status,
      tenant: tenant ?? session?.tenant ?? '',
      session: session?.id ?? '',
      requestId,
      durationMs,
      traceId: traceIdOf(span.traceparent),
    });
  if (span.isRecorded) {
    span.set({
      [attribute.httpMethod]: method,
      [attribute.httpRoute]: route,
      [attribute.httpStatus]: status,
      [attribute.urlPath]: pathOf(request),
      [attribute.urlScheme]: request.protocol,
      [attribute.tenant]: tenant,
    });
    if (status >= 500) span.fail(String(status));
  }
  span.end();
}

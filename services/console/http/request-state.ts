import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientLeft } from '#lib/net';
import type { Span, Tracer } from '#lib/telemetry';
import type { Session } from '../reader.ts';
import { readCookie } from '../session/index.ts';
import type { Theme } from '../ui/shell.ts';

/** The state of a request while it is vetted and answered. */
export interface RequestState {
  span: Span;
  /** Undefined until it was found, and for nobody. */
  session: Session | undefined;
  /** The tenant in the path, once the session may see it. */
  tenant: string | undefined;
  /** The requests to the API that the page shows. */
  asked: string[];
  /** Aborts when the browser of a page that is read has left. Undefined for a form: what it changes is not left half-way. */
  left: AbortSignal | undefined;
  /** Set for a page that was made from what the API answered that long ago. */
  ageSeconds: number | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    state: RequestState;
  }
}

export const newState = (request: FastifyRequest, reply: FastifyReply, tracer: Tracer): RequestState => {
  const route = routeOf(request);
  const { traceparent } = request.headers;
  return {
    span: tracer.start(
      { kind: 'server', name: route === undefined ? request.method : `${request.method} ${route}` },
      typeof traceparent === 'string' ? traceparent : undefined,
    ),
    session: undefined,
    tenant: undefined,
    asked: [],
    left: request.method === 'POST' ? undefined : clientLeft(reply),
    ageSeconds: undefined,
  };
};

export const routeOf = (request: FastifyRequest): string | undefined =>
  request.is404 ? undefined : request.routeOptions.url;

/** The path as it was asked for, without its query. */
export const pathOf = ({ url }: FastifyRequest): string => url.split('?', 1)[0] ?? '';

/** The parameters, without empty ones: a form sends a field that nothing was entered into. */
export function queryOf({ url }: FastifyRequest): URLSearchParams {
  const at = url.indexOf('?');
  const given = new URLSearchParams(at < 0 ? '' : url.slice(at + 1));
  return new URLSearchParams([...given].filter(([, value]) => value !== ''));
}

export const themeCookie = 'hookline-theme';

export function themeOf({ headers }: FastifyRequest): Theme | undefined {
  const theme = readCookie(headers.cookie, themeCookie);
  return theme === 'light' || theme === 'dark' ? theme : undefined;
}

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/i;

export const isLoopback = ({ host }: FastifyRequest): boolean => loopback.test(host);

/** Browsers say themselves that a page is within another one. */
export const isFramed = ({ headers }: FastifyRequest): boolean => headers['sec-fetch-dest'] === 'iframe';

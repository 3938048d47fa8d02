import type { FastifyReply } from 'fastify';
import type { KeptResponse } from './ports.ts';

/**
 * Headers that describe the body or say where the created thing is. Never a cookie, a credential or a header of the connection;
 * Content-Encoding, because the bytes mean nothing without it.
 */
const keptHeaders = ['content-type', 'content-encoding', 'content-language', 'location'] as const;

const replayedHeader = 'idempotent-replayed';

/**
 * Whether a handler's response is the outcome of the request. "Not now", "not you" and "too large" say nothing about the request itself,
 * nor does our own failure; 499 was answered to nobody.
 */
export const isOutcome = (status: number): boolean => status < 500 && ![401, 413, 429, 499].includes(status);

export type Payload = string | Buffer | null | undefined;

export const isPayload = (payload: unknown): payload is Payload =>
  payload === null || payload === undefined || typeof payload === 'string' || Buffer.isBuffer(payload);

export function captureResponse(reply: FastifyReply, payload: Payload): KeptResponse {
  const headers = keptHeaders.flatMap((name) => {
    const value = reply.getHeader(name);
    return value === undefined ? [] : [[name, String(value)]];
  });
  return {
    status: reply.statusCode,
    headers: Object.fromEntries(headers) as KeptResponse['headers'],
    body: bytesOf(payload),
  };
}

export const bytesOf = (payload: Payload): Buffer => (Buffer.isBuffer(payload) ? payload : Buffer.from(payload ?? ''));

type Headers = ReturnType<FastifyReply['getHeaders']>;

/** Makes `response` the reply, replacing the handler's. @param before the headers that every response of this server has */
export function writeResponse(reply: FastifyReply, { status, headers, body }: KeptResponse, before: Headers): Buffer {
  for (const name of Object.keys(reply.getHeaders())) reply.removeHeader(name);
  void reply.headers({ ...before, ...headers }).code(status);
  return body;
}

export const asReplay = (response: KeptResponse): KeptResponse => ({
  ...response,
  headers: { ...response.headers, [replayedHeader]: 'true' },
});

/** Sends a stored response from a handler. */
export const sendResponse = (reply: FastifyReply, { status, headers, body }: KeptResponse): FastifyReply =>
  reply.code(status).headers(headers).send(body);

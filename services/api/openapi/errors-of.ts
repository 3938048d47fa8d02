import { count, list, object, type Operation, type Schema, text } from '#lib/api-contract';
import { type ProblemCode, problemCodes, problemContentType } from '#lib/problem';
import { rateLimitHeaders } from './headers.ts';

export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

export const problemSchema: Schema = {
  ...object(
    { type: text, title: text, status: count, code: { enum: Object.keys(problemCodes) } },
    { detail: text, errors: list(object({ field: text, message: text })), more_errors: count, limit: text },
  ),
  description: 'RFC 9457. Programs should rely on `code`, which is stable.',
};

/** The problems that requests of this kind can get, and the operation's own. */
export function problemsOf(operation: Operation, { method, url }: { method: string; url: string }): ProblemCode[] {
  if (operation.isPublic === true) return ['internal_error', ...(operation.errors ?? [])];
  const codes: ProblemCode[] = ['validation_failed', 'unauthorized', 'forbidden', 'rate_limited', 'limit_reached'];
  if (url.includes('/:')) codes.push('not_found');
  // One that takes no body may be sent one all the same.
  if (method !== 'GET') codes.push('payload_too_large', 'unsupported_media_type');
  if (operation.conditional === true) codes.push('gone', 'precondition_failed');
  if (method === 'POST') codes.push('idempotency_key_invalid', 'idempotency_in_progress', 'idempotency_key_reused');
  return [...codes, 'internal_error', 'unavailable', ...(operation.errors ?? [])];
}

/** As answers, by status. */
export function errorAnswers(codes: readonly ProblemCode[]): Record<string, object> {
  const byStatus = Map.groupBy(new Set(codes), (code) => problemCodes[code].status);
  return Object.fromEntries([...byStatus].map(([status, ofStatus]) => [status, answerOf(status, ofStatus)]));
}

const answerOf = (status: number, codes: readonly ProblemCode[]): object => ({
  description: codes.map((code) => `\`${code}\`: ${problemCodes[code].title}`).join('. '),
  ...(status in headersOf && { headers: headersOf[status] }),
  content: {
    [problemContentType]: { schema: { allOf: [ref('Problem'), { properties: { code: { enum: codes } } }] } },
  },
});

const retryAfter = { 'Retry-After': { description: 'seconds', schema: text } };
const headersOf: Readonly<Record<number, object>> = {
  401: { 'WWW-Authenticate': { schema: text } },
  429: {
    ...retryAfter,
    ...Object.fromEntries(rateLimitHeaders.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
  },
  503: retryAfter,
};

import { problem, type ProblemCode, problemContentType } from '#lib/problem';
import type { KeptResponse } from './ports.ts';

/**
 * Reasons for which the plugin answers a request in place of the handler:
 *   key_missing    the route requires a key
 *   key_invalid    the key is malformed
 *   in_progress    another request with the key is in progress
 *   other_request  the key was used with a different request
 *   unavailable    the store does not answer, or it is unknown whether the response was stored
 *   not_keepable   the handler answered with a stream, which cannot be stored
 */
export type Refusal =
  | { kind: 'key_missing' }
  | { kind: 'key_invalid'; problem: string }
  | { kind: 'in_progress' }
  | { kind: 'other_request' }
  | { kind: 'unavailable' }
  | { kind: 'not_keepable' };

export type AnswerRefusal = (refusal: Refusal) => KeptResponse;

/** Handlers end and stores recover within seconds; after that, the client's own backoff applies. */
const retryAfterSeconds = { idempotency_in_progress: '1', unavailable: '2' } as const;

/** RFC 9457 problems. @param documentation URL of a page about the header, linked from refusals that are the client's to mend */
export const problemAnswers =
  (documentation?: string): AnswerRefusal =>
  (refusal) => {
    switch (refusal.kind) {
      case 'key_missing':
        return answer('idempotency_key_invalid', 'This request needs an Idempotency-Key header', documentation);
      case 'key_invalid':
        return answer('idempotency_key_invalid', refusal.problem, documentation);
      case 'in_progress':
        return answer('idempotency_in_progress', 'Retry with the same key to get the response');
      case 'other_request':
        return answer('idempotency_key_reused', 'This key was used with a different request', documentation);
      case 'unavailable':
        return answer('unavailable', 'Retry with the same key');
      case 'not_keepable':
        return answer('internal_error');
    }
  };

function answer(code: ProblemCode, detail?: string, documentation?: string): KeptResponse {
  const body = problem(code, detail);
  const retryAfter = code in retryAfterSeconds ? retryAfterSeconds[code as keyof typeof retryAfterSeconds] : undefined;
  return {
    status: body.status,
    headers: {
      'content-type': problemContentType,
      ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
      ...(documentation !== undefined && { link: `<${documentation}>; rel="describedby"` }),
    },
    body: Buffer.from(JSON.stringify(body)),
  };
}

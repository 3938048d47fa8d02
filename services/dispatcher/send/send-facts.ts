import { answeredHeadersFor, type AttemptTiming, type SendFields, setOwn, type StepFields } from '#lib/contract';
import type { HttpResult, HttpTiming } from '#lib/http-client';
import type { Sending } from './attempt.ts';

/** The facts of a send that are stored, for everybody who may see the delivery: nothing for the operator alone. */
export type SendFacts = SendFields & Pick<StepFields, 'detail'>;

export function sendFactsOf({ result, duration_ms, request }: Sending): SendFacts {
  const answered = 'status' in result;
  return {
    duration_ms,
    request,
    outcome: result.outcome,
    http_status: answered ? result.status : null,
    detail: answered ? detailOf(result) : result.detail,
    response_excerpt: answered && result.excerpt.length > 0 ? result.excerpt : null,
    response_headers: request && answered ? shownHeaders(result.headers) : null,
    timing: request && timingOf(result.timing),
  };
}

/** Null for a plain success. What was odd about the head of the answer is told of a success too. */
function detailOf({ outcome, status, oddity }: Extract<HttpResult, { status: number }>): string | null {
  if (oddity !== undefined) return `answered ${status} with an odd head: ${oddity}`;
  return outcome === 'delivered' ? null : `answered ${status}`;
}

/**
 * One value a name: where a name comes again, as RFC 9110 (5.3) joins them. A receiver's cookies and tokens are masked, but not what it
 * asks for instead of them.
 */
function shownHeaders(headers: readonly (readonly [string, string])[]): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const [spelled, value] of headers) {
    const name = spelled.toLowerCase();
    setOwn(joined, name, Object.hasOwn(joined, name) ? `${joined[name]}, ${value}` : value);
  }
  return answeredHeadersFor('tenant', joined);
}

const timingOf = ({ dnsMs, connectMs, tlsMs, firstByteMs, bodyMs }: HttpTiming): AttemptTiming => ({
  dns_ms: rounded(dnsMs),
  connect_ms: rounded(connectMs),
  tls_ms: rounded(tlsMs),
  first_byte_ms: rounded(firstByteMs),
  body_ms: rounded(bodyMs),
});

/** To hundredths, which are as much as a clock in the event loop tells. */
const rounded = (ms: number | null): number | null => (ms === null ? null : Math.round(ms * 100) / 100);

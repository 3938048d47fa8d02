import { type Delivery, headerText, isReservedHeader, setHeadersFor, type SentRequest } from '#lib/contract';
import { type HttpClient, type HttpResult, noTiming } from '#lib/http-client';
import type { Clock } from '#lib/runtime';
import { signatureHeaders, type SigningSecret, signingSecret, type Trails } from '#lib/signatures';
import { childTraceparent, type Exemplar, type Tracer } from '#lib/telemetry';
import type { Endpoint } from '../model/endpoint.ts';
import { endAttemptSpan, startAttemptSpan } from './trace-attempt.ts';

/** Sends a delivery once. Never rejects for its outcome. */
export type Attempt = (delivery: Delivery, endpoint: Endpoint, attempt: number) => Promise<Sending>;

export interface Sending {
  result: HttpResult;
  duration_ms: number;
  /** As it may be shown; null where nothing was sent, for a reason of ours. */
  request: SentRequest | null;
  /** Where it is traced. */
  exemplar?: Exemplar | undefined;
}

type Headers = Readonly<Record<string, string>>;

interface Deps {
  http: Pick<HttpClient, 'send'>;
  tracer: Tracer;
  clock: Clock;
  /** The value of a passed header that is sealed; undefined if it can’t be decrypted any more. */
  openHeader(delivery: Delivery, name: string, sealed: string): string | undefined;
  trails: Pick<Trails, 'sign'>;
}

export function createAttempt({ http, tracer, clock, openHeader, trails }: Deps): Attempt {
  /** An endpoint that has changed is another object. */
  const known = new WeakMap<Endpoint, Prepared>();

  function preparedOf(endpoint: Endpoint): Prepared {
    const before = known.get(endpoint);
    if (before !== undefined) return before;
    const prepared = prepare(endpoint);
    known.set(endpoint, prepared);
    return prepared;
  }

  return async (delivery, endpoint, attempt) => {
    const nowMs = clock.nowMs();
    const { headers, shown, secrets } = preparedOf(endpoint);
    const valid = secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > nowMs * 1_000);
    if (valid.length === 0) return unsigned;

    const { url, method, route, urlByPortal, timeoutMs } = endpoint;
    const span = startAttemptSpan(tracer, delivery, endpoint, attempt);
    // Its receiver may be a source, of this tenant or another one.
    const trail = trails.sign(delivery.trail);
    const signatures = signatureHeaders({
      secrets: valid.map(({ secret }) => secret),
      ed25519Keys: valid.map(({ privateKey }) => privateKey).filter((key) => key !== null),
      id: delivery.eventId,
      timestampSeconds: Math.floor(nowMs / 1_000),
      body: delivery.payload,
    });
    // Its own names are reserved: an endpoint's headers are never among them.
    const sent: Record<string, string> = { ...headers };
    if (delivery.contentType !== '') sent['content-type'] = headerText(delivery.contentType);
    if (delivery.contentEncoding !== null) sent['content-encoding'] = headerText(delivery.contentEncoding);
    // The answer's excerpt is kept as it came: nobody unpacks it.
    sent['accept-encoding'] = 'identity';
    sent['hookline-signature'] = signatures['hookline-signature'];
    sent['webhook-id'] = signatures['webhook-id'];
    sent['webhook-timestamp'] = signatures['webhook-timestamp'];
    sent['webhook-signature'] = signatures['webhook-signature'];
    sent['hookline-event-type'] = headerText(delivery.eventType);
    sent['hookline-attempt'] = String(attempt);
    if (trail !== undefined) sent['hookline-trail'] = trail;
    // Each attempt is another span of the event's one trace, whether it is recorded or not.
    sent['traceparent'] = span.isRecorded ? span.traceparent : childTraceparent(delivery.traceparent);
    const passed = headersToPass(delivery, endpoint, { own: headers, openHeader });
    const body = delivery.payload;
    const startedAtMs = clock.monotonicMs();
    const request = { url, method, headers: sent, headerLists: passed, body, timeoutMs, route, isStrict: urlByPortal };
    const result = await http.send(request);
    const duration_ms = clock.monotonicMs() - startedAtMs;
    endAttemptSpan(span, result);
    const shownAll = shown === headers ? sent : { ...sent, ...shown };
    const shownHeaders = passed === undefined ? shownAll : { ...setHeadersFor('tenant', joined(passed)), ...shownAll };
    return { result, duration_ms, exemplar: span.exemplar, request: { method, url, headers: shownHeaders } };
  };
}

/** The parts of a request that are the same until the endpoint changes. */
interface Prepared {
  /** Its own. */
  headers: Headers;
  /** The same as they may be shown; the same object where nothing is to be hidden. */
  shown: Headers;
  secrets: readonly (Omit<Endpoint['secrets'][number], 'secret'> & { secret: SigningSecret })[];
}

function prepare(endpoint: Endpoint): Prepared {
  const headers = customHeaders(endpoint.headers);
  const masked = setHeadersFor('tenant', headers);
  const hidesNothing = Object.entries(headers).every(([name, value]) => masked[name] === value);
  return {
    headers,
    shown: hidesNothing ? headers : masked,
    secrets: endpoint.secrets.map((each) => ({ ...each, secret: signingSecret(each.secret) })),
  };
}

/**
 * The provider's headers that the delivery carries, as the endpoint wants them now: its rules may have changed since. Its own headers have
 * precedence. Undefined for none.
 */
function headersToPass(
  delivery: Delivery,
  { passHeaders }: Endpoint,
  { own, openHeader }: Pick<Deps, 'openHeader'> & { own: Headers },
): Record<string, string[]> | undefined {
  const { passedHeaders } = delivery;
  if (passedHeaders.length === 0 || passHeaders === undefined) return undefined;
  const passed = new Map<string, { name: string; values: string[] }>();
  for (const [name, carried, form] of passedHeaders) {
    const lower = name.toLowerCase();
    if (!passHeaders.takes(lower) || Object.hasOwn(own, lower)) continue;
    const value = form === 'sealed' ? openHeader(delivery, lower, carried) : carried;
    if (value === undefined) continue;
    const known = passed.get(lower);
    if (known === undefined) passed.set(lower, { name, values: [value] });
    else known.values.push(value);
  }
  return Object.fromEntries([...passed.values()].map(({ name, values }) => [name, values]));
}

/** As one text each, for showing. */
const joined = (headers: Readonly<Record<string, readonly string[]>>): Headers =>
  Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, values.join(', ')]));

const unsigned: Sending = {
  result: { outcome: 'blocked', detail: 'the endpoint has no secret that can be read', timing: noTiming },
  duration_ms: 0,
  request: null,
};

const defaultHeaders: Headers = { 'user-agent': 'Hookline' };

/** The endpoint's own headers. The api takes none that is reserved; a row from before a name was reserved may have one all the same. */
const customHeaders = (headers: Headers): Headers =>
  Object.fromEntries(Object.entries({ ...defaultHeaders, ...headers }).filter(([name]) => !isReservedHeader(name)));

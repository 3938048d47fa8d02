/** Requests to the client and its answers: the types that its callers see. */
import type { AttemptOutcome } from '#lib/contract';

type HttpMethod = 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface HttpRequest {
  url: string;
  method: HttpMethod;
  headers: Readonly<Record<string, string>>;
  /** Further headers: one for each value of a list. */
  headerLists?: Readonly<Record<string, string[]>> | undefined;
  body: Buffer;
  /** Time until the head of the response, all phases included. */
  timeoutMs: number;
  /** Absent: direct, and without a certificate of ours. */
  route?: HttpRoute | undefined;
  /** The URL is vetted without the plain http and the networks that the client allows. */
  isStrict?: boolean;
}

/** The route of a request: only requests with the same route share connections. Keep one object while nothing in it changes. */
export interface HttpRoute {
  /** `http://user:password@host:port`, or https. */
  proxy?: string | undefined;
  /** Shown to the host, in PEM. */
  clientCertificate?: { certificate: string; privateKey: string } | undefined;
}

type AnsweredOutcome = Extract<AttemptOutcome, 'delivered' | 'http_4xx' | 'http_5xx' | 'redirect'>;

export type HttpResult = HttpAnswer | HttpFailure;

export interface HttpAnswer {
  outcome: AnsweredOutcome;
  status: number;
  /** Set where the head is not as HTTP/1.1 has it: how. The status holds nevertheless, and nothing else that the head says is certain. */
  oddity?: string;
  retryAfter: string | undefined;
  headers: readonly (readonly [name: string, value: string])[];
  /** The first bytes of the body. */
  excerpt: Buffer;
  timing: HttpTiming;
}

export interface HttpFailure {
  outcome: Exclude<AttemptOutcome, AnsweredOutcome>;
  /** Shown to the owner of the URL: tells nothing about our network. */
  detail: string;
  /** For the operator only: the rule, the address, the system's error text. */
  operatorDetail?: string | undefined;
  timing: HttpTiming;
}

/** Null for steps that did not happen, or that an earlier request had done. */
export interface HttpTiming {
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  /** Time from the first byte of the request to that of the response. */
  firstByteMs: number | null;
  bodyMs: number | null;
}

/** The timing of a request that never left. */
export const noTiming: HttpTiming = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, bodyMs: null };

/** Requests to the client and its answers: the types that its callers see. */
import type { AttemptOutcome } from '#lib/contract';

type HttpMethod = 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface HttpRequest {
  url: string;
  method: HttpMethod;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  /** From now to the answer's head, all phases included. */
  timeoutMs: number;
  /** Absent: direct, and without a certificate of ours. */
  route?: HttpRoute | undefined;
}

/** How the request leaves: requests share connections only where this is the same. Keep one object as long as nothing in it changes. */
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
  retryAfter: string | undefined;
  headers: readonly (readonly [name: string, value: string])[];
  /** The first bytes of the body. */
  excerpt: Buffer;
  timing: HttpTiming;
}

export interface HttpFailure {
  outcome: Exclude<AttemptOutcome, AnsweredOutcome>;
  /** For whoever named the URL: says nothing about what our network looks like inside. */
  detail: string;
  /** For the operator alone: the rule, the address, the system's own words. */
  operatorDetail?: string | undefined;
  timing: HttpTiming;
}

/** Null is what did not happen, or what an earlier request had done already. */
export interface HttpTiming {
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  /** From the request's first byte to the answer's. */
  firstByteMs: number | null;
  bodyMs: number | null;
}

/** The timing of a request that never left. */
export const noTiming: HttpTiming = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, bodyMs: null };

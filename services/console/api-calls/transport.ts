/** One request to the API and its answer, without meaning. Tests have a transport of their own. */

export interface ApiCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** From `/v1` on. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body?: string | undefined;
  /** For what the API holds on purpose; default: that of the transport. */
  timeoutMs?: number | undefined;
  /** Aborts when nobody waits for the answer: the call ends, and with it what the API does for it. */
  signal?: AbortSignal | undefined;
}

export interface ApiAnswer {
  status: number;
  /** By lower-case name; the first of several. */
  header(name: string): string | undefined;
  bytes: Buffer;
}

/** Never rejects: why there is no answer is a value. */
export type ApiTransport = (call: ApiCall) => Promise<ApiAnswer | { noAnswer: string }>;

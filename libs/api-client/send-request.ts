import { type Dispatcher, request } from 'undici';

export interface HttpAnswer {
  status: number;
  /** By lower-case name; the first of several. */
  header(name: string): string | undefined;
  body: string;
  /** The same as it came. */
  bytes: Buffer;
}

/** An answer, or why there was none, in words. */
export type HttpResult = HttpAnswer | { noAnswer: string };

interface HttpRequest {
  method: Dispatcher.HttpMethod;
  headers: Readonly<Record<string, string | string[]>>;
  body?: Buffer | string;
  timeoutMs: number;
  /** Ends the request early, as unanswered. */
  signal?: AbortSignal | undefined;
}

/** One request. Not `fetch`, which refuses ports that a stack may well be on. */
export async function sendRequest(
  url: string,
  { method, headers, body, timeoutMs, signal: end }: HttpRequest,
): Promise<HttpResult> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = end === undefined ? timeout : AbortSignal.any([timeout, end]);
  try {
    const answer = await request(url, { method, headers, body: body ?? null, signal });
    const bytes = Buffer.from(await answer.body.arrayBuffer());
    return {
      status: answer.statusCode,
      header: (name) => [answer.headers[name]].flat()[0],
      body: bytes.toString(),
      bytes,
    };
  } catch (error) {
    return { noAnswer: timeout.aborted ? `no answer within ${timeoutMs / 1000} s` : describe(error as Error) };
  }
}

/** A name with several addresses fails once for each, and the AggregateError itself has no message. */
const describe = (error: Error): string =>
  error instanceof AggregateError ? error.errors.map((each: Error) => each.message).join('; ') : error.message;

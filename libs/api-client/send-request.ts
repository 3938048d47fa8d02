import { type Dispatcher, request } from 'undici';

export interface HttpAnswer {
  status: number;
  /** By lower-case name; the first of several. */
  header(name: string): string | undefined;
  body: string;
}

/** An answer, or why there was none, in words. */
export type HttpResult = HttpAnswer | { noAnswer: string };

interface HttpRequest {
  method: Dispatcher.HttpMethod;
  headers: Readonly<Record<string, string | string[]>>;
  body?: Buffer | string;
  timeoutMs: number;
}

/** One request. Not `fetch`, which refuses ports that a stack may well be on. */
export async function sendRequest(url: string, { method, headers, body, timeoutMs }: HttpRequest): Promise<HttpResult> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const answer = await request(url, { method, headers, body: body ?? null, signal });
    return {
      status: answer.statusCode,
      header: (name) => [answer.headers[name]].flat()[0],
      body: await answer.body.text(),
    };
  } catch (error) {
    return { noAnswer: signal.aborted ? `no answer within ${timeoutMs / 1000} s` : describe(error as Error) };
  }
}

/** A name with several addresses fails once for each, and the AggregateError itself has no message. */
const describe = (error: Error): string =>
  error instanceof AggregateError ? error.errors.map((each: Error) => each.message).join('; ') : error.message;

import { request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';

export interface HttpAnswer {
  status: number;
  body: string;
}

export interface HttpRequest {
  method?: 'GET' | 'POST' | 'PATCH';
  headers?: Readonly<Record<string, string>>;
  body?: string;
  timeoutMs: number;
}

/**
 * One request on its own connection. `fetch` refuses ports that browsers refuse, and an offset may move a port of the stack to one (10080).
 *
 * @throws Error if there is no answer in time
 */
export function request(
  url: string,
  { method = 'GET', headers = {}, body, timeoutMs }: HttpRequest,
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      url,
      { method, headers, agent: false, signal: AbortSignal.timeout(timeoutMs) },
      (response) => {
        text(response).then((answer) => resolve({ status: response.statusCode ?? 0, body: answer }), reject);
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
}

export const isSuccess = ({ status }: HttpAnswer): boolean => status >= 200 && status < 300;

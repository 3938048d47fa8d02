import { type ApiMethod, createApiClient } from '#lib/api-client';
import type { Stack } from '../../support/stack.ts';

/** @throws Error where the API refuses */
export type AskApi = <T>(method: ApiMethod, path: string, body?: object) => Promise<T>;

export function askApi({ apiUrl, adminKey }: Stack, tenant?: string): AskApi {
  // A connection may have been closed while this process was busy making cases. A POST has an idempotency key.
  const twice = async <T extends object>(send: () => Promise<T>): Promise<T> => {
    const answer = await send();
    return 'noAnswer' in answer ? send() : answer;
  };
  const client = createApiClient({ url: apiUrl, credential: adminKey, tenant, resendGet: twice, resendPost: twice });
  return async <T>(method: ApiMethod, path: string, body?: object): Promise<T> => {
    const answer = await client.request<T>(method, path, { body });
    if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer.failure)}`);
    return answer.value;
  };
}

import type { ApiClient, ApiMethod, ApiRequest, Page, Part } from '#lib/api-client';
import type { Context } from '../context.ts';
import { noteNewTenant } from './note-new-tenant.ts';
import { valueOf } from './api-failure.ts';

/** The API as verbs call it: each call resolves with its value, or throws a CommandFailure in the API's own words. */
export interface Api {
  ask<T = Record<string, unknown>>(method: ApiMethod, path: string, given?: ApiRequest): Promise<T>;
  /** A collection, page by page, up to so many items. */
  list<T = Record<string, unknown>>(path: string, limit: number): Promise<T[]>;
  part<T>(path: string): Promise<Part<T>>;
  page<T>(path: string): Promise<Page<T>>;
}

/** The API of the settings. They are read at the first call: wrong usage is reported before missing settings. */
export const connect = (context: Context, tenant: string | undefined): Api =>
  connectTo(async () => {
    // The HTTP client takes a while to load: help and wrong usage don't wait for it.
    const { openClient } = await import('./open-client.ts');
    await noteNewTenant(context, openClient(context, undefined), tenant);
    return openClient(context, tenant);
  });

export function connectTo(open: () => Promise<ApiClient>): Api {
  let opening: Promise<ApiClient> | undefined;
  const client = (): Promise<ApiClient> => (opening ??= open());
  return {
    ask: async <T>(method: ApiMethod, path: string, given?: ApiRequest) =>
      valueOf(await (await client()).request<T>(method, path, given)),
    list: async <T>(path: string, limit: number) => valueOf(await (await client()).list<T>(path, limit)),
    part: async <T>(path: string) => valueOf(await (await client()).part<T>(path)),
    page: async <T>(path: string) => valueOf(await (await client()).page<T>(path)),
  };
}

import type { ApiClient, ApiFailure, ApiMethod, ApiRequest, ApiResult, Page, Part } from '#lib/api-client';
import { CommandFailure } from '../command-failure.ts';
import type { Context } from '../context.ts';
import { printable } from '../output/print.ts';

export const pathOf = (collection: string, id: string, action = ''): string =>
  `/${collection}/${encodeURIComponent(id)}${action === '' ? '' : `/${action}`}`;

/** @throws CommandFailure for a request that failed, in the API's own words */
export function valueOf<T>(result: ApiResult<T>): T {
  if (result.ok) return result.value;
  throw toCommandFailure(result.failure);
}

/** For people: the problem, and what to do about it. For programs: the problem details. */
export function toCommandFailure(failure: ApiFailure): CommandFailure {
  switch (failure.kind) {
    case 'no_answer': {
      const { url, reason } = failure;
      return new CommandFailure(1, `the API at ${url} does not answer: ${reason}\n${whatToDoAbout(url)}`);
    }
    case 'unexpected_answer':
      return new CommandFailure(1, `answered ${failure.status}: ${failure.body.slice(0, 500)}`);
    case 'problem': {
      const { status, problem } = failure;
      const { title = 'refused', code, detail, errors = [] } = problem;
      const more = errors.length > 0 || detail === undefined ? '' : `: ${detail}`;
      const message = `${title} (${status} ${code})${more}${code === 'unauthorized' ? wrongKey : ''}`;
      const { more_errors: left } = problem;
      const listed = left === undefined ? errors : [...errors, { field: 'and', message: `${left} more` }];
      return new CommandFailure(1, message, problem, listed);
    }
  }
}

const wrongKey =
  '\nHOOKLINE_ADMIN_KEY is not a key of this API: `make up` writes the one of the local stack to .hookline/local.env, and the environment has precedence';

const whatToDoAbout = (url: string): string =>
  /^https?:\/\/(localhost|127\.|\[::1\])/i.test(url)
    ? 'if the stack is down, `make up` starts it; for another stack set HOOKLINE_API_URL'
    : 'HOOKLINE_API_URL says where the API is';

/** The default one, and in the place of a tenant: all. */
const unnoted = ['default', '*'];

/**
 * Notes on the standard error that nothing is known of the tenant: a tenant exists as soon as it is named, so a mistyped name is no error.
 * Says nothing where the key may not read tenants.
 */
export async function noteNewTenant(
  { process }: Context,
  client: Pick<ApiClient, 'request'>,
  tenant: string | undefined,
): Promise<void> {
  if (tenant === undefined || unnoted.includes(tenant)) return;
  const read = await client.request('GET', `/tenants/${encodeURIComponent(tenant)}`);
  if (read.ok || read.failure.kind !== 'problem' || read.failure.problem.code !== 'not_found') return;
  process.stderr.write(
    `note: nothing was ever stored for a tenant ${printable(tenant)}; \`hookline tenants list\` shows those that have something\n`,
  );
}

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

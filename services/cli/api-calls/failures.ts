import type { ApiError, ApiFailure } from '#client';
import { CommandFailure } from '../command-failure.ts';

/** By its name: the client, which has the class, is loaded by calls of the API alone. */
export const isApiError = (error: unknown): error is ApiError => error instanceof Error && error.name === 'ApiError';

/**
 * For people: the problem, and what to do about it. For programs: the problem details.
 *
 * @param url that of the API
 */
export function toCommandFailure(failure: ApiFailure, url: string): CommandFailure {
  switch (failure.kind) {
    case 'no_answer':
      return new CommandFailure(1, `the API at ${url} does not answer: ${failure.reason}\n${whatToDoAbout(url)}`);
    case 'unexpected_answer':
      return new CommandFailure(1, `answered ${failure.status}: ${failure.body.slice(0, 500)}`);
    case 'alias': {
      const { alias } = failure;
      return new CommandFailure(1, `${alias.name} is an alias of ${alias.target}: name that one`, alias);
    }
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

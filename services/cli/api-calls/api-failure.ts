import type { ApiFailure, ApiResult } from '#lib/api-client';
import { CommandFailure } from '../command-failure.ts';

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

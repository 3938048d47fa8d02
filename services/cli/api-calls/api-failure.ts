import type { ApiFailure, ApiResult } from '#lib/api-client';
import { CommandFailure } from '../command-failure.ts';

/** @throws CommandFailure for a request that failed, in the API's own words */
export function valueOf<T>(result: ApiResult<T>): T {
  if (result.ok) return result.value;
  throw toCommandFailure(result.failure);
}

/** For people: the problem, then each wrong field on its own line. For programs: the problem details. */
export function toCommandFailure(failure: ApiFailure): CommandFailure {
  switch (failure.kind) {
    case 'no_answer':
      return new CommandFailure(1, `the API at ${failure.url} does not answer: ${failure.reason}`);
    case 'unexpected_answer':
      return new CommandFailure(1, `answered ${failure.status}: ${failure.body.slice(0, 500)}`);
    case 'problem': {
      const { status, problem } = failure;
      const { title = 'refused', code, detail, errors = [] } = problem;
      const lines = errors.map(({ field, message }) => `\n  ${field} ${message}`);
      const more = lines.length > 0 ? lines.join('') : detail === undefined ? '' : `: ${detail}`;
      return new CommandFailure(1, `${title} (${status} ${code})${more}`, problem);
    }
  }
}

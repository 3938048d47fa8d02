import type { ApiFailure } from '#client';
import type { Asked, FieldError } from './api-calls/console-api.ts';
import { type PageResult, seeOther } from './page-result.ts';
import { problemOfFailure } from './problem-of-failure.ts';

export type Answer = PageResult | Promise<PageResult>;

/** After a form: on to the page that shows the change. @param refused for what the API did not do */
export async function afterChange<T>(
  asked: Promise<Asked<T>>,
  to: (value: T) => string,
  refused: (failure: ApiFailure) => Answer = problemOfFailure,
): Promise<PageResult> {
  const answer = await asked;
  return answer.ok ? seeOther(to(answer.value)) : refused(answer.failure);
}

/** The form again, with what is wrong with its fields, or with all of it; else the page of the problem. */
export function formAgain(failure: ApiFailure, again: (errors: readonly FieldError[]) => Answer): Answer {
  if (failure.kind !== 'problem' || failure.status !== 400) return problemOfFailure(failure);
  const { detail, errors = [] } = failure.problem;
  return again(errors.length > 0 ? errors : [{ field: '', message: detail ?? 'The form is not valid' }]);
}

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

/** The form again, with the errors of its fields; else the page of the problem. */
export const formAgain = (failure: ApiFailure, again: (errors: readonly FieldError[]) => Answer): Answer =>
  failure.kind === 'problem' && failure.status === 400
    ? again(failure.problem.errors ?? [])
    : problemOfFailure(failure);

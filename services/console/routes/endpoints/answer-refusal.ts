import type { ApiFailure } from '#client';
import type { FieldError } from '../../api-calls/console-api.ts';
import type { PageResult } from '../../page-result.ts';
import type { TenantContext } from '../../page.ts';
import { formErrors } from '../../pages/endpoints/field-errors.ts';
import { problemOfFailure } from '../../problem-of-failure.ts';

type Again = (more: { errors: readonly FieldError[] } | { refused: string }) => PageResult | Promise<PageResult>;

/** The form again for what it can say itself: wrong fields, and what is not possible now. Else the page of the problem. */
export function answerRefusal(
  context: Pick<TenantContext, 'isCustomer'>,
  failure: ApiFailure,
  again: Again,
): PageResult | Promise<PageResult> {
  const errors = formErrors(failure, context);
  if (errors !== undefined) return again({ errors });
  if (failure.kind === 'problem' && failure.status === 409 && failure.problem.detail !== undefined)
    return again({ refused: `${failure.problem.detail}.` });
  return problemOfFailure(failure);
}

import type { ApiFailure, ProblemDetails } from '#client';
import type { FieldError } from './api-calls/console-api.ts';
import { type PageResult, problem, type ProblemStatus } from './page-result.ts';

/** Stores and processes are back within seconds. */
const retryAfterSeconds = 5;
/** Statuses that say the same of the page. */
const passedOn: readonly ProblemStatus[] = [400, 404, 409, 410, 412, 413];

/** The API's detail says more of these than the page could. */
const explained: readonly ProblemStatus[] = [409, 410, 413];

/**
 * The page for what the API did not give. Who cannot be reached, and who answers in a way that the API never would, is no reason for a 404:
 * only the API's own word is.
 */
export function problemOfFailure(failure: ApiFailure): PageResult {
  if (failure.kind !== 'problem') return problem(503, { retryAfterSeconds });
  const { status, problem: details, retryAfter } = failure;
  const wait = Number(retryAfter ?? '') || retryAfterSeconds;
  if (status === 401) return { kind: 'sign_in' };
  if (status === 403) return problem(403, explanationOf(details));
  // A tenant that has too much of something need not wait: the API says of what, and no time.
  if (status === 429)
    return retryAfter === undefined && details.detail !== undefined
      ? problem(429, explanationOf(details))
      : problem(429, { retryAfterSeconds: wait });
  // The form is an old one: its key was used for something else.
  if (status === 422)
    return problem(409, { explanation: 'This form was sent before, with other content. Open it again.' });
  const same = passedOn.find((one) => one === status);
  if (same === undefined) return problem(503, { retryAfterSeconds: wait });
  return problem(same, {
    ...(explained.includes(same) && explanationOf(details)),
    ...(details.errors && { errors: [...details.errors, ...leftOut(details)] }),
  });
}

const leftOut = ({ more_errors: more }: ProblemDetails): FieldError[] =>
  more === undefined ? [] : [{ field: '', message: `and ${more} more` }];

const explanationOf = ({ detail }: ProblemDetails): { explanation?: string } =>
  detail === undefined ? {} : { explanation: `${detail}.` };

import type { ApiFailure } from '#lib/api-client';

/**
 * The API did not give what a page cannot be without. Thrown by the calls that resolve with a value, caught once, in answer-page.ts, which
 * turns it into the page of its status.
 */
export class ApiRefusal extends Error {
  readonly failure: ApiFailure;

  constructor(failure: ApiFailure) {
    super(failure.kind === 'no_answer' ? failure.reason : `answered ${failure.status}`);
    this.failure = failure;
  }
}

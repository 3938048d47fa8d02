import type { ApiFailure } from '#client';

/** Whether the thing that a form asked to remove has gone already: by the first click of two, or by somebody else. */
export const isGone = (failure: ApiFailure): boolean => failure.kind === 'problem' && failure.status === 410;

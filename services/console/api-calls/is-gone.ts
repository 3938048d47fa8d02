import type { ApiFailure } from '#lib/api-client';

/** What a form asked to remove has gone already: the first click of two, or somebody else. */
export const isGone = (failure: ApiFailure): boolean => failure.kind === 'problem' && failure.status === 410;

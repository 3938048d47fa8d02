import type { HttpAnswer } from '#client';

/** The API's answers that a page was made from, by their paths. One that is the same is the same object. */
export type UsedAnswers = ReadonlyMap<string, HttpAnswer>;

import type { ApiAnswer } from '../api-calls/transport.ts';

/** The API's answers that a page was made from, by their paths. One that is the same is the same object. */
export type UsedAnswers = ReadonlyMap<string, ApiAnswer>;

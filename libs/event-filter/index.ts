export { type EventFilter, compileFilter } from './compile-filter.ts';
export { type FilterProblem, problemsOfFilter } from './problems-of-filter.ts';
export { type JudgedPayload, judgedPayload } from './judged-payload.ts';

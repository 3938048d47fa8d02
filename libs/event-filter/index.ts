export { type EventFilter, compileFilter, maxFilterSteps } from './compile-filter.ts';
export { failingClause } from './failing-clause.ts';
export { problemsOfFilter } from './problems-of-filter.ts';
export { decodedPayload } from './decoded-payload.ts';
export { matchedPayload } from './matched-payload.ts';
export { type MatchTurns, createMatchTurns, stepsPerTurn } from './match-turns.ts';
export { type Taker, bytesPerStep, matchEach, matchInTurns, maxEventSteps } from './match-in-turns.ts';
export { type UnjudgedFilters, createUnjudgedFilters, filterMetrics } from './unjudged-filters.ts';

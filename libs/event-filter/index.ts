export { type EventFilter, compileFilter, maxFilterSteps } from './compile-filter.ts';
export { failingClause } from './failing-clause.ts';
export { problemsOfFilter } from './problems-of-filter.ts';
export { decodedPayload } from './decoded-payload.ts';
export { judgedPayload } from './judged-payload.ts';
export { type JudgingTurns, createJudgingTurns, stepsPerTurn } from './judging-turns.ts';
export {
  type Taker,
  type UnjudgedReason,
  bytesPerStep,
  judgeEach,
  judgeInTurns,
  maxEventSteps,
} from './judge-in-turns.ts';
export { type UnjudgedFilters, createUnjudgedFilters, filterMetrics } from './unjudged-filters.ts';

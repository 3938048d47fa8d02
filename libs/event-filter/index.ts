export { type EventFilter, compileFilter, maxFilterSteps } from './compile-filter.ts';
export { problemsOfFilter } from './problems-of-filter.ts';
export { judgedPayload } from './judged-payload.ts';
export { type JudgingTurns, createJudgingTurns, stepsPerTurn } from './judging-turns.ts';
export { type Taker, type UnjudgedReason, judgeInTurns, maxEventSteps } from './judge-in-turns.ts';
export { type UnjudgedFilters, createUnjudgedFilters, filterMetrics } from './unjudged-filters.ts';

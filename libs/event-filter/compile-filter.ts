import { Query } from 'mingo/query';
import { AppError } from '#lib/runtime';
import { withExactNumbers } from './exact-number.ts';
import type { MatchedPayload } from './matched-payload.ts';
import { context, meter, stepsSpent } from './operators.ts';
import { problemsOfFilter } from './problems-of-filter.ts';

/**
 * Steps that one filter may take on one payload: 7 ms of one core at most, about 30,000 values that a condition compares. It is part of a
 * filter's meaning: with another number, a repeated fan-out would give another set.
 */
export const maxFilterSteps = 100_000;

interface FilterMatch {
  /** True if the filter takes the payload, or if that is unknown: an extra webhook can be ignored, a missing one is lost. */
  takes: boolean;
  /** Taken to find out. */
  steps: number;
  /** Set if it is unknown: the payload is too large or too deep (or the library fails on it), or there were too few steps. */
  unjudged?: 'payload' | 'steps';
}

/**
 * Matches a payload. Never throws; the same payload and the same steps always come to the same.
 *
 * @param maxSteps below `maxFilterSteps` where others have taken some before
 */
export type EventFilter = (payload: MatchedPayload, maxSteps?: number) => FilterMatch;

/**
 * A payload that is no JSON object or array matches no filter.
 *
 * @throws AppError data_invalid where `problemsOfFilter` finds any
 */
export function compileFilter(filter: unknown): EventFilter {
  const [problem] = problemsOfFilter(filter);
  if (problem !== undefined) throw new AppError('data_invalid', `filter${problem.path}: ${problem.message}`);
  const query = new Query(withExactNumbers(filter) as Record<string, unknown>, { context, scriptEnabled: false });
  return (payload, maxSteps = maxFilterSteps) => {
    const content = payload.content();
    if (content.kind === 'opaque') return { takes: false, steps: 0 };
    if (content.kind === 'unwieldy') return { takes: true, steps: 0, unjudged: 'payload' };
    const givenSteps = Math.min(maxSteps, maxFilterSteps);
    meter.stepsLeft = givenSteps;
    const taken = (): number => Math.min(givenSteps, givenSteps - meter.stepsLeft);
    try {
      return { takes: query.test(content.document as Record<string, unknown>), steps: taken() };
    } catch (error) {
      return { takes: true, steps: taken(), unjudged: error === stepsSpent ? 'steps' : 'payload' };
    }
  };
}

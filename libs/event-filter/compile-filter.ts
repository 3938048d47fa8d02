import { Query } from 'mingo/query';
import { AppError } from '#lib/errors';
import type { JudgedPayload } from './judged-payload.ts';
import { context } from './operators.ts';
import { problemsOfFilter } from './problems-of-filter.ts';

/** Whether the payload is one that the filter takes. Never throws; the same payload always gets the same answer. */
export type EventFilter = (payload: JudgedPayload) => boolean;

/**
 * A payload that is no JSON object or array matches no filter. One that can't be judged (it is unwieldy, or the library fails on it)
 * matches every filter: a webhook too many can be ignored, one too few is lost.
 *
 * @throws AppError data_invalid where `problemsOfFilter` finds any
 */
export function compileFilter(filter: unknown): EventFilter {
  const [problem] = problemsOfFilter(filter);
  if (problem !== undefined) throw new AppError('data_invalid', `filter${problem.path}: ${problem.message}`);
  const query = new Query(filter as Record<string, unknown>, { context, scriptEnabled: false });
  return (payload) => {
    const content = payload.content();
    if (content.kind !== 'document') return content.kind === 'unwieldy';
    try {
      return query.test(content.document as Record<string, unknown>);
    } catch {
      return true;
    }
  };
}

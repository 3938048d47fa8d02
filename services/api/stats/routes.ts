import { getStats, getSystem, maxCounts, maxSteps, type QueryOf } from '#lib/api-contract';
import { type StatSeries, type StatStep, statSteps } from '#lib/contract';
import { formatMicros, microsOf, nowMicros } from '#lib/runtime';
import { readInstant } from '../http/filters.ts';
import { type Read, sendInvalid } from '../http/send-problem.ts';
import { type Route, serve } from '../route.ts';
import { countedSince, findStats, maxRows, seriesBy, type StatQuestion } from './queries.ts';
import { readSystem } from './system.ts';

/** Steps of an answer without `since`. */
const usualSteps: Readonly<Record<StatStep, number>> = { '1m': 60, '1h': 24, '1d': 30 };
const secondMicros = 1_000_000;

const counts = serve(getStats, ({ postgres, clock }) => async (request, reply) => {
  const question = readQuestion(request.query, nowMicros(clock));
  if ('errors' in question) return sendInvalid(reply, question.errors);
  const { by = null, step, since, until } = question.read;
  const answer = await findStats(postgres, request.tenant, question.read);
  if ('beyond' in answer) return sendInvalid(reply, [{ field: 'since', message: beyond[answer.beyond] }]);
  return {
    step,
    by,
    since: formatMicros(since),
    until: formatMicros(until),
    counted_since: await countedSince(postgres),
    series: answer.found,
  };
});

export const statRoutes: readonly Route[] = [counts];
export const systemRoutes: readonly Route[] = [serve(getSystem, (deps) => () => readSystem(deps.postgres))];

const beyond = {
  max_counts: `asks for more than ${maxCounts} counts (max_counts): ask for less time, or a longer step`,
  max_rows: `asks to add up more than ${maxRows} rows (max_rows): ask for less time`,
} as const;

function readQuestion(query: QueryOf<typeof getStats>, now: number): Read<StatQuestion> {
  const { by, step = '1h' } = query;
  const errors: { field: string; message: string }[] = [];
  const possible = seriesBy(by);
  const series = query.series === undefined ? possible : readSeries(query.series, possible);
  if ('message' in series) errors.push({ field: 'series', message: series.message });
  const instant = (field: 'since' | 'until'): number | undefined => {
    const text = query[field];
    if (text === undefined) return undefined;
    const read = readInstant(text);
    if ('value' in read) return microsOf(read.value);
    errors.push({ field, message: read.message });
    return undefined;
  };
  const micros = statSteps[step].seconds * secondMicros;
  // The step that is under way is part of it.
  const until = Math.ceil((instant('until') ?? now + 1) / micros) * micros;
  const since = Math.floor((instant('since') ?? until - usualSteps[step] * micros) / micros) * micros;
  if (errors.length > 0 || 'message' in series) return { errors };
  const message = refuseRange({ step, since, until }, now);
  return message === undefined
    ? { read: { series, by, step, since, until } }
    : { errors: [{ field: 'since', message }] };
}

function readSeries(text: string, possible: readonly StatSeries[]): readonly StatSeries[] | { message: string } {
  const names = [...new Set(text.split(','))];
  const known = possible.filter((series) => names.includes(series));
  return known.length === names.length ? known : { message: `must be some of ${possible.join(', ')} (as \`by\` is)` };
}

/** @returns what is wrong with `since` */
function refuseRange({ step, since, until }: Omit<StatQuestion, 'series' | 'by'>, now: number): string | undefined {
  const { seconds, keptSeconds } = statSteps[step];
  const micros = seconds * secondMicros;
  if (since >= until) return 'must be before until';
  if ((until - since) / micros > maxSteps) return `must be at most ${maxSteps} steps before until (max_steps)`;
  if (since < Math.floor((now - keptSeconds * secondMicros) / micros) * micros)
    return `must be within the last ${keptSeconds / 3600} hours, for which ${step} is kept (max_age)`;
  return undefined;
}

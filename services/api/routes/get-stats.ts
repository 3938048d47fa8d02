import { dateTime } from '#lib/api-contract';
import { formatMicros, microsOf, nowMicros } from '#lib/clock';
import { type StatStep, statSteps } from '#lib/contract';
import {
  maxTypesPerDay,
  otherTypes,
  type StatDimension,
  statDimensions,
  type StatSeries,
  statSeries,
} from '#lib/event-store';
import { readInstant } from '../http/filters.ts';
import { type FieldErrors, type Read, sendInvalid } from '../http/send-problem.ts';
import type { Operation } from '../openapi/operation.ts';
import { countedSince, findStats, maxCounts, maxRows, seriesBy, type StatQuestion } from '../resources/stats.ts';
import { type Route, route } from '../route.ts';

interface StatsQuery {
  series?: string;
  by?: StatDimension;
  step?: StatStep;
  since?: string;
  until?: string;
}

const steps = Object.keys(statSteps) as StatStep[];
/** Steps from `since` to `until`, and as many by default. */
const maxSteps = 3_000;
const usualSteps: Readonly<Record<StatStep, number>> = { '1m': 60, '1h': 24, '1d': 30 };
const secondMicros = 1_000_000;

const querystring = {
  type: 'object',
  additionalProperties: false,
  properties: {
    series: { type: 'string', maxLength: 300 },
    by: { type: 'string', enum: statDimensions },
    step: { type: 'string', enum: steps },
    since: dateTime,
    until: dateTime,
  },
} as const;

const operation: Operation = {
  tag: 'Statistics',
  id: 'getStats',
  summary: 'Count events, duplicates, rejected webhooks, attempts and deliveries over time',
  description: `An answer has up to ${maxSteps} steps and ${maxCounts} counts; steps and keys without any are left out. A tenant has ${maxTypesPerDay} types a day, then \`${otherTypes}\`. \`rejected\` is counted by the ingress and approximate: a process that is killed loses its last second. Counts stay when events are removed or erased. Minutes are kept for 48 hours, hours for 90 days, days for 400 days.`,
  parameters: {
    series: `comma-separated: ${statSeries.join(', ')}; default: all that can be split by \`by\``,
    by: 'one line per source, endpoint, type or outcome; default: one per series',
    step: 'default: 1h',
    since: 'RFC 3339; rounded down to a step. Default: 60 minutes, 24 hours or 30 days before `until`',
    until: 'RFC 3339, exclusive; rounded up to a step. Default: now',
  },
  answers: { 200: { is: 'The counts', body: 'Stats' } },
};

/** `GET /v1/stats` */
export const getStats: Route = ({ postgres, clock }) =>
  route<{ Querystring: StatsQuery }>({
    method: 'GET',
    url: '/v1/stats',
    config: { operation },
    schema: { querystring },
    async handler(request, reply) {
      const question = readQuestion(request.query, nowMicros(clock));
      if ('errors' in question) return sendInvalid(reply, question.errors);
      const { by = null, step, since, until } = question.read;
      const answer = await findStats(postgres, request.tenant, question.read);
      if ('beyond' in answer) return sendInvalid(reply, [beyond[answer.beyond]]);
      return {
        ...{ step, by, since: formatMicros(since), until: formatMicros(until) },
        counted_since: await countedSince(postgres),
        series: answer.found,
      };
    },
  });

const beyond = {
  max_counts: {
    field: 'since',
    message: `asks for more than ${maxCounts} counts (max_counts): ask for less time, or a longer step`,
  },
  max_rows: { field: 'since', message: `asks to add up more than ${maxRows} rows (max_rows): ask for less time` },
} as const;

function readQuestion(query: StatsQuery, now: number): Read<StatQuestion> {
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
  const refused = refuseRange({ step, since, until }, now);
  return refused === undefined ? { read: { series, by, step, since, until } } : { errors: refused };
}

function readSeries(text: string, possible: readonly StatSeries[]): readonly StatSeries[] | { message: string } {
  const names = [...new Set(text.split(','))];
  const known = possible.filter((series) => names.includes(series));
  return known.length === names.length ? known : { message: `must be some of ${possible.join(', ')} (as \`by\` is)` };
}

function refuseRange(
  { step, since, until }: Pick<StatQuestion, 'step' | 'since' | 'until'>,
  now: number,
): FieldErrors | undefined {
  const { seconds, keptSeconds } = statSteps[step];
  if (since >= until) return [{ field: 'since', message: 'must be before until' }];
  if ((until - since) / (seconds * secondMicros) > maxSteps)
    return [{ field: 'since', message: `must be at most ${maxSteps} steps before until (max_steps)` }];
  const micros = seconds * secondMicros;
  if (since < Math.floor((now - keptSeconds * secondMicros) / micros) * micros)
    return [
      {
        field: 'since',
        message: `must be within the last ${keptSeconds / 3600} hours, for which ${step} is kept (max_age)`,
      },
    ];
  return undefined;
}

import { maxTypesPerDay, otherTypes, statDimensions, statSeries, type StatStep, statSteps } from '#lib/contract';
import { dateTime } from './fields.ts';
import { answer, component, operationsOf, parameter, resource } from './operation.ts';
import * as t from './schema.ts';

const operation = operationsOf('Statistics');

/** Steps from `since` to `until`. */
export const maxSteps = 3_000;
/** Counts of one answer. */
export const maxCounts = 20_000;

const steps = Object.keys(statSteps) as StatStep[];

const stats = component(
  'Stats',
  t.object({
    step: t.oneOf(steps),
    by: t.oneOf([...statDimensions, null]),
    since: t.time,
    until: t.time,
    counted_since: t.saying(
      'since when everything is counted (the upgrade to a version with statistics); before it counts are unknown. Null: not yet',
      t.nullable(t.time),
    ),
    series: t.list(
      t.object({
        series: t.oneOf(statSeries),
        key: t.saying('id of the source or endpoint, event type, or outcome; null without `by`', t.nullable(t.text)),
        counts: t.saying('steps without any are left out', t.list(t.object({ at: t.time, count: t.count }))),
      }),
    ),
  }),
);

export type Stats = t.Static<typeof stats.schema>;

export const getStats = operation('GET', '/v1/stats', {
  summary: 'Count events, duplicates, rejected webhooks, attempts and deliveries over time',
  description: `An answer has up to ${maxSteps} steps and ${maxCounts} counts; steps and keys without any are left out. A tenant has ${maxTypesPerDay} types a day, then \`${otherTypes}\`. \`rejected\` is counted by the ingress and approximate: a process that is killed loses its last second. Counts stay when events are removed or erased. Minutes are kept for 48 hours, hours for 90 days, days for 400 days.`,
  query: {
    series: parameter(
      t.textOf({ maxLength: 300 }),
      `comma-separated: ${statSeries.join(', ')}; default: all that can be split by \`by\``,
    ),
    by: parameter(t.textIn(statDimensions), 'one line per source, endpoint, type or outcome; default: one per series'),
    step: parameter(t.textIn(steps), 'default: 1h'),
    since: parameter(
      dateTime,
      'RFC 3339; rounded down to a step. Default: 60 minutes, 24 hours or 30 days before `until`',
    ),
    until: parameter(dateTime, 'RFC 3339, exclusive; rounded up to a step. Default: now'),
  },
  answers: { 200: answer(stats, 'The counts') },
});

export const statistics = resource({
  tag: 'Statistics',
  description:
    'Counts over time, by when something happened. They equal the rows of events, receipts, attempts and deliveries, and outlive them. `rejected` is counted by the ingress and approximate: a killed process loses its last second.',
  components: [stats],
  operations: { getStats },
});

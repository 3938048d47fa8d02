import { maxTypesPerDay, otherTypes, statDimensions, statSeries, type StatStep, statSteps } from '#lib/contract';
import { dateTime } from './fields.ts';
import { component, operation, parameter, resource } from './operation.ts';
import { count, list, nullable, object, oneOf, saying, type Static, text, textIn, textOf, time } from './schema.ts';

/** Steps from `since` to `until`. */
export const maxSteps = 3_000;
/** Counts of one answer. */
export const maxCounts = 20_000;

const steps = Object.keys(statSteps) as StatStep[];

const stats = component(
  'Stats',
  object({
    step: oneOf(steps),
    by: oneOf([...statDimensions, null]),
    since: time,
    until: time,
    counted_since: saying(
      'since when everything is counted (the upgrade to a version with statistics); before it counts are unknown. Null: not yet',
      nullable(time),
    ),
    series: list(
      object({
        series: oneOf(statSeries),
        key: saying('id of the source or endpoint, event type, or outcome; null without `by`', nullable(text)),
        counts: saying('steps without any are left out', list(object({ at: time, count }))),
      }),
    ),
  }),
);

export type Stats = Static<typeof stats.schema>;

export const getStats = operation({
  method: 'GET',
  path: '/v1/stats',
  tag: 'Statistics',
  id: 'getStats',
  summary: 'Count events, duplicates, rejected webhooks, attempts and deliveries over time',
  description: `An answer has up to ${maxSteps} steps and ${maxCounts} counts; steps and keys without any are left out. A tenant has ${maxTypesPerDay} types a day, then \`${otherTypes}\`. \`rejected\` is counted by the ingress and approximate: a process that is killed loses its last second. Counts stay when events are removed or erased. Minutes are kept for 48 hours, hours for 90 days, days for 400 days.`,
  query: {
    series: parameter(
      textOf({ maxLength: 300 }),
      `comma-separated: ${statSeries.join(', ')}; default: all that can be split by \`by\``,
    ),
    by: parameter(textIn(statDimensions), 'one line per source, endpoint, type or outcome; default: one per series'),
    step: parameter(textIn(steps), 'default: 1h'),
    since: parameter(
      dateTime,
      'RFC 3339; rounded down to a step. Default: 60 minutes, 24 hours or 30 days before `until`',
    ),
    until: parameter(dateTime, 'RFC 3339, exclusive; rounded up to a step. Default: now'),
  },
  answers: { 200: { is: 'The counts', body: stats.ref } },
});

export const statistics = resource({
  tag: 'Statistics',
  description:
    'Counts over time, by when something happened. They equal the rows of events, receipts, attempts and deliveries, and outlive them. `rejected` is counted by the ingress and approximate: a killed process loses its last second.',
  components: [stats],
  operations: [getStats],
});

import { statSteps } from '#lib/contract';
import { statDimensions, statSeries } from '#lib/event-store';
import type { DocumentedResource } from '../operation.ts';
import { count, list, nullable, object, oneOf, saying, text, time } from '#lib/api-contract';

export const documentedStats: DocumentedResource = {
  tag: 'Statistics',
  description:
    'Counts over time, by when something happened. They equal the rows of events, receipts, attempts and deliveries, and outlive them. `rejected` is counted by the ingress and approximate: a killed process loses its last second.',
  schemas: {
    Stats: object({
      step: oneOf(Object.keys(statSteps)),
      by: { enum: [...statDimensions, null] },
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
  },
};

import { omitAbsent } from '../../options/read-values.ts';
import { type Attempt, describeOutcome } from '../../output/attempt-view.ts';
import { describe } from '../../output/print.ts';
import type { Screen } from '../../output/screen.ts';

export interface TestAnswer {
  event_id: string;
  /** Null while the event is not fanned out. */
  delivery_id: string | null;
  /** Null if there was none in the time that the API waits for it. */
  attempt: Attempt | null;
}

export function describeTest({ event_id: event, delivery_id: delivery, attempt }: TestAnswer, screen: Screen): string {
  const ids = omitAbsent({ event, delivery: delivery ?? undefined });
  if (attempt === null) {
    const command = delivery === null ? `events deliveries ${event}` : `deliveries attempts ${delivery}`;
    return describe({ outcome: `not sent yet: \`hookline ${command}\` will show the outcome`, ...ids }, screen);
  }
  const { at, response_excerpt: answer } = attempt;
  const shown = {
    outcome: describeOutcome(attempt),
    at,
    ...ids,
    ...(answer !== null && answer !== '' && { answer }),
  };
  return describe(shown, screen);
}

/** G6: a poller sees every change, unless the event changed again before, and in their order. */
import type { Violation } from '../anomalies.ts';
import type { Change, PollerHistory } from '../history.ts';
import type { Ledger } from '../ledger.ts';

export function pollersMissNothing(ledger: Ledger): Violation[] {
  return ledger.history.pollers.flatMap((poller) => [
    ...judgeOrder(poller),
    ...judgeEnd(ledger, poller),
    ...changesMissedBy(ledger, poller).map(({ eventId, updatedAt }): Violation => ({
      anomaly: 'poll-skip',
      subject: { eventId },
      says: `${poller.name} was not shown it as of ${updatedAt}`,
    })),
  ]);
}

function judgeOrder({ name, items }: PollerHistory): Violation[] {
  return items.flatMap((item, index): Violation[] => {
    const before = items[index - 1];
    if (before === undefined || before.updatedAt < item.updatedAt) return [];
    const says = `${name} was shown ${item.updatedAt} after ${before.updatedAt} of ${before.eventId}`;
    return [{ anomaly: 'nonmonotonic-poll', subject: { eventId: item.eventId }, says }];
  });
}

function judgeEnd({ history: { changes } }: Ledger, { name, position }: PollerHistory): Violation[] {
  const end = changes.at(-1)?.updatedAt ?? '';
  return position >= end
    ? []
    : [{ anomaly: 'stuck-poller', subject: { poller: name }, says: `at ${position} of ${end}` }];
}

/** The database's clock against the poller's: one machine, and its rounding. */
const clockSlackMs = 5;

/**
 * An event changes in place. A poller that has passed the time of a change without having been shown it has missed it, if by the end of the
 * answer that took it past that time the event had not changed again.
 */
export function changesMissedBy({ history: { changes } }: Ledger, poller: PollerHistory): Change[] {
  const seen = new Set(poller.items.map(nameOf));
  const next = new Map<string, Change>();
  return changes.toReversed().filter((change) => {
    const later = next.get(change.eventId);
    next.set(change.eventId, change);
    if (change.updatedAt > poller.position || seen.has(nameOf(change))) return false;
    return later === undefined || later.atMs > passedAtMs(poller, change.updatedAt) + clockSlackMs;
  });
}

/** The end of the first answer that came this far. */
function passedAtMs({ answers }: PollerHistory, updatedAt: string): number {
  let [low, high] = [0, answers.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((answers[middle]?.position ?? '') >= updatedAt) high = middle;
    else low = middle + 1;
  }
  return answers[low]?.endedAtMs ?? 0;
}

const nameOf = ({ eventId, updatedAt }: { eventId: string; updatedAt: string }): string => `${eventId} ${updatedAt}`;

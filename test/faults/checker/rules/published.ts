/** G7 as publishers see it: each key has one event and one answer, and the answer names the event. */
import type { Violation } from '../anomalies.ts';
import type { Publish, PublishCall } from '../history.ts';
import type { Ledger } from '../ledger.ts';

export function keysHaveOneEffect(ledger: Ledger): Violation[] {
  return [
    ...ledger.history.publishes.flatMap((publish) => judgeKey(ledger, publish)),
    ...[...ledger.publishedByPayload.values()].flatMap((entries): Violation[] => {
      const [first] = entries;
      if (first === undefined || ledger.publishByPayload.has(first.payloadSha256)) return [];
      return [
        { anomaly: 'phantom-event', subject: { eventId: first.id }, says: 'published, though nobody asked for it' },
      ];
    }),
  ];
}

function judgeKey(ledger: Ledger, { key, payloadSha256, calls }: Publish): Violation[] {
  const subject = { key };
  const eventIds = new Set((ledger.publishedByPayload.get(payloadSha256) ?? []).map(({ id }) => id));
  const made = [...eventIds].join(' and ');
  const done = calls.filter(isDone);
  const isRefusedKey = calls.every(isRefused);
  const astray = done.find(({ eventId }) => eventId === null || !eventIds.has(eventId));
  const found: [isFound: boolean, anomaly: Violation['anomaly'], says: string][] = [
    [eventIds.size > 1, 'second-effect', `it has ${made}`],
    [done.length > 0 && made === '', 'lost-write', `answered ${done[0]?.eventId}, not on events`],
    [isRefusedKey && made !== '', 'aborted-read', `refused with ${calls[0]?.status}, and ${made} is on events`],
    [
      done.length === 0 && !isRefusedKey,
      'unanswered-key',
      `${calls.length} requests, the last: ${calls.at(-1)?.detail}`,
    ],
    [
      new Set(done.map(({ answerSha256 }) => answerSha256)).size > 1,
      'second-answer',
      done.map(({ eventId }) => eventId).join(', '),
    ],
    [
      made !== '' && astray !== undefined,
      'false-answer',
      `answered ${astray?.eventId}${astray?.replayed ? ', as a replay' : ''}; its event is ${made}`,
    ],
  ];
  return found.flatMap(([isFound, anomaly, says]) => (isFound ? [{ anomaly, subject, says }] : []));
}

export const isDone = ({ status }: PublishCall): boolean => status !== null && status >= 200 && status < 300;

/** It definitely was not carried out: 409 says no more than that another request is in hand. */
export const isRefused = ({ status }: PublishCall): boolean =>
  status !== null && status >= 400 && status < 500 && status !== 409 && status !== 429;

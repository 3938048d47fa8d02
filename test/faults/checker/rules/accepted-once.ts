/** G2 and the first half of G3: each received record ends in exactly one way, and a webhook has one event id. */
import type { Violation } from '../anomalies.ts';
import type { DuplicateEntry, EventEntry, ReceivedEntry } from '../history.ts';
import { group, isExcused, isPassed, isPublished, type Ledger, namedIn, publishedBy, sentAtMs } from '../ledger.ts';

export function recordsEndInOneWay(ledger: Ledger): Violation[] {
  return [...ledger.recordsByOrigin].flatMap(([origin, records]): Violation[] => {
    const ends = [
      ledger.eventsByOrigin.has(origin) ? ['event'] : [],
      ledger.duplicatesByOrigin.has(origin) ? ['duplicate'] : [],
      (ledger.deadLettersByOrigin.get(origin) ?? []).some((deadLetter) => deadLetter.stage === 'dedup')
        ? ['dead letter']
        : [],
    ].flat();
    const subject = { origin };
    if (ends.length > 1) return [{ anomaly: 'two-ends', subject, says: ends.join(' and ') }];
    if (ends.length === 1) return [];
    return records.every((record) => isPassed(ledger, 'dedup', record.position))
      ? [{ anomaly: 'vanished-record', subject, says: 'dedup has committed past it' }]
      : [{ anomaly: 'unseen', subject, says: 'dedup has not come to it' }];
  });
}

/** If every webhook is sound, no outage may kill one: it must have been waited for. */
export function noSoundWebhookDies({ history }: Ledger): Violation[] {
  return history.topics['dead-letters'].map(({ stage, reason, origin, position }) => ({
    anomaly: 'needless-dead-letter',
    subject: { origin },
    says: `${stage}, ${reason}, at ${position}`,
  }));
}

export function eventsStandForOneWebhook(ledger: Ledger): Violation[] {
  return [...ledger.eventsById].flatMap(([eventId, entries]): Violation[] => {
    const subject = { eventId };
    const violations: Violation[] = [];
    const origins = new Set(entries.map((entry) => entry.origin));
    const bodies = new Set(entries.map((entry) => entry.payloadSha256));
    if (origins.size > 1 || bodies.size > 1) {
      const says = `${origins.size} origins, ${bodies.size} bodies: ${[...origins].join(', ')}`;
      violations.push({ anomaly: 'inconsistent-offsets', subject, says });
    }
    for (const entry of new Map(entries.map((each) => [each.origin, each])).values())
      violations.push(...judgeAgainstRecord(ledger, entry));
    const [first] = entries;
    if (first !== undefined && entries.length > 1 && !isExcused(ledger, publishedBy, sentAtMs(ledger, first)))
      violations.push({ anomaly: 'repeat-without-fault', subject, says: `published ${entries.length} times` });
    return violations;
  });
}

function judgeAgainstRecord(ledger: Ledger, event: EventEntry): Violation[] {
  const subject = { eventId: event.id };
  // Published, not received: see rules/published.ts.
  if (isPublished(event)) return [];
  const [record] = ledger.recordsByOrigin.get(event.origin) ?? [];
  if (record === undefined)
    return [{ anomaly: 'phantom-event', subject, says: `${event.origin} is not on webhooks.received` }];
  if (record.bodySha256 !== event.payloadSha256)
    return [{ anomaly: 'changed-bytes', subject, says: `its payload is not the body of ${event.origin}` }];
  if (record.receiptId !== event.receiptId)
    return [{ anomaly: 'changed-bytes', subject, says: `receipt ${event.receiptId}, received as ${record.receiptId}` }];
  return [];
}

/** By what the sender calls its webhooks, by the key that dedup gives them, and by the record that they are made of. */
export function webhooksHaveOneEventId(ledger: Ledger): Violation[] {
  const { events } = ledger.history.topics;
  const found = [
    ...tooClose(
      ledger,
      group(events, (event) => identityOf(ledger, event.origin) ?? event.origin),
      'webhook',
    ),
    ...tooClose(
      ledger,
      group(events, (event) => event.dedupKey),
      'dedup key',
    ),
    ...tooClose(ledger, ledger.eventsByOrigin, 'record'),
  ];
  return [...new Map(found.map((violation) => [JSON.stringify(violation.subject), violation])).values()];
}

function tooClose(ledger: Ledger, groups: ReadonlyMap<string, readonly EventEntry[]>, of: string): Violation[] {
  return [...groups].flatMap(([name, entries]) => {
    const firstOfEachId = [...new Map(entries.toReversed().map((entry) => [entry.id, entry])).values()].sort(
      (a, b) => a.receivedAtMs - b.receivedAtMs,
    );
    return firstOfEachId.flatMap((event, index): Violation[] => {
      const before = firstOfEachId[index - 1];
      if (before === undefined) return [];
      const ttlMs = (ledger.recordsByOrigin.get(before.origin)?.[0]?.dedupTtlSeconds ?? 0) * 1000;
      // The time to live counts from completion, which comes after the receipt: less than that is always too close.
      if (ttlMs > 0 && event.receivedAtMs - before.receivedAtMs >= ttlMs) return [];
      return [
        { anomaly: 'second-event-id', subject: { eventId: event.id }, says: `${of} ${name} is ${before.id} already` },
      ];
    });
  });
}

export function duplicatesAreOfTheirEvent(ledger: Ledger): Violation[] {
  return [...ledger.duplicatesByOrigin.values()].flatMap((entries) =>
    entries.slice(0, 1).flatMap((entry) => judgeDuplicate(ledger, entry)),
  );
}

function judgeDuplicate(ledger: Ledger, duplicate: DuplicateEntry): Violation[] {
  const subject = { origin: duplicate.origin };
  const [record] = ledger.recordsByOrigin.get(duplicate.origin) ?? [];
  if (record === undefined)
    return [{ anomaly: 'phantom-event', subject, says: 'a duplicate of a record that is not on webhooks.received' }];
  const event = ledger.eventOfDuplicate(duplicate);
  if (event === undefined)
    return [{ anomaly: 'duplicate-of-nothing', subject, says: `${namedIn(duplicate)} is not on events` }];
  const identity = identityOf(ledger, record.origin);
  const eventIdentity = identityOf(ledger, event.origin);
  if (identity !== eventIdentity)
    return [{ anomaly: 'false-duplicate', subject, says: `it is ${identity}; ${event.id} is ${eventIdentity}` }];
  const changed = isChanged(record, event);
  // Without the event's id dedup knows four digits of its body's hash alone: another body may have the same.
  if (duplicate.changed ? !changed : changed && duplicate.eventId !== null)
    return [{ anomaly: 'false-duplicate', subject, says: `counted as ${duplicate.changed ? '' : 'un'}changed` }];
  return [];
}

/** Whether its bytes differ from those of its event. */
export function isChangedDuplicate(ledger: Ledger, duplicate: DuplicateEntry): boolean {
  const [record] = ledger.recordsByOrigin.get(duplicate.origin) ?? [];
  const event = ledger.eventOfDuplicate(duplicate);
  return record !== undefined && event !== undefined && isChanged(record, event);
}

const isChanged = (record: ReceivedEntry, event: EventEntry): boolean => record.bodySha256 !== event.payloadSha256;

/** The sender's name for the webhook of this record; undefined if it was never sent. */
function identityOf(ledger: Ledger, origin: string): string | undefined {
  const [record] = ledger.recordsByOrigin.get(origin) ?? [];
  const send = record === undefined ? undefined : ledger.sendByTrace.get(record.traceId);
  return send === undefined ? undefined : `${send.sourceId}/${send.identity}`;
}

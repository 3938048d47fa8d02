import type { EventEntry } from '../../checker/history.ts';
import { overlaps } from '../../checker/ledger.ts';
import type { Finding } from '../findings.ts';
import type { EventRow, History, Intent } from '../history.ts';

/** Checks the topic: each existing event unchanged, those of an ordering key in their order; repeated only around a fault. */
export function judgePublished(history: History): Finding[] {
  const { published, rows } = history;
  const entriesOf = Map.groupBy(published, ({ id }) => id);
  const known = new Set(rows.events.map(({ id }) => id));
  const intentOf = new Map(history.intents.map((intent) => [intent.mark, intent]));
  return [
    ...rows.events.flatMap((event) =>
      judgeEvent(history, { event, intent: intentOf.get(event.mark), entries: entriesOf.get(event.id) ?? [] }),
    ),
    ...published
      .filter(({ id }) => !known.has(id))
      .map(({ id, position }): Finding => ({ finding: 'published-without-effect', says: `${id} at ${position}` })),
    ...rows.outbox.map(({ eventId }): Finding => ({ finding: 'left-in-outbox', says: eventId })),
    ...judgeOrder(rows.events, { entriesOf, intentOf }),
  ];
}

/** Records of events that were on the topic before. */
export const republished = ({ published }: Pick<History, 'published'>): number =>
  published.length - new Set(published.map(({ id }) => id)).size;

interface Account {
  event: EventRow;
  /** Undefined has a finding of its own. */
  intent: Intent | undefined;
  entries: readonly EventEntry[];
}

function judgeEvent({ faults }: History, { event, intent, entries }: Account): Finding[] {
  const found: Finding[] = [];
  const add = (finding: Finding['finding'], says: string): void =>
    void found.push({ finding, says, ...(intent && { intent: intent.number }) });
  if (entries.length === 0) add('not-published', event.id);
  for (const { payloadSha256, position } of entries)
    if (intent !== undefined && payloadSha256 !== intent.payloadSha256)
      add('published-changed', `${event.id} at ${position}`);
  const isExcused = faults.some((fault) => overlaps(fault, event.receivedAtMs, Number.POSITIVE_INFINITY));
  if (entries.length > 1 && !isExcused)
    add('published-twice', `${event.id} at ${entries.map(({ position }) => position).join(', ')}`);
  return found;
}

/** Checks the order of an ordering key, by each event's first position. */
function judgeOrder(
  rows: readonly EventRow[],
  of: { entriesOf: ReadonlyMap<string, readonly EventEntry[]>; intentOf: ReadonlyMap<string, Intent> },
): Finding[] {
  const ordered = rows.filter(({ orderingKey }) => orderingKey !== null);
  const byKey = Map.groupBy(ordered, ({ tenant, orderingKey }) => `${tenant}/${orderingKey}`);
  return [...byKey.values()].flatMap((events) => {
    const found: Finding[] = [];
    let last = { id: '', partition: '', offset: -1 };
    for (const { id, mark } of events) {
      const places = (of.entriesOf.get(id) ?? []).map(placeOf).sort((a, b) => a.offset - b.offset);
      const [first] = places;
      if (first === undefined) continue;
      if (last.offset >= 0 && (first.partition !== last.partition || first.offset < last.offset)) {
        const says = `${id} at ${first.partition}-${first.offset}, ${last.id} at ${last.partition}-${last.offset}`;
        const intent = of.intentOf.get(mark);
        found.push({ finding: 'out-of-order', says, ...(intent && { intent: intent.number }) });
      }
      last = { id, ...first };
    }
    return found;
  });
}

function placeOf({ position }: EventEntry): { partition: string; offset: number } {
  const at = position.lastIndexOf('-');
  return { partition: position.slice(0, at), offset: Number(position.slice(at + 1)) };
}

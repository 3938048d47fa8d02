/** Whether all that was taken has come to an end that is true: a pure sum over what the sender, the receivers and the tables say. */
import type { Published, SentWebhook } from '../traffic/load-messages.ts';
import type { TableRows } from '../traffic/read-tables.ts';

export interface Books extends TableRows {
  webhooks: readonly SentWebhook[];
  published: readonly Published[];
  /** By endpoint and event: when it was first taken. */
  arrivals: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** The names of the endpoints that are to get the events of a source. */
  endpointsOf(sourceId: string): readonly string[];
  /** The events that each poller has seen the end of, by its name. */
  polled: ReadonlyMap<string, ReadonlySet<string>>;
}

export interface Account {
  accepted: number;
  distinct: number;
  published: number;
  events: number;
  deliveries: number;
  delivered: number;
  deadLettered: number;
  /** In words; empty where all adds up. */
  violations: string[];
}

const shown = 3;

export function account(books: Books): Account {
  const accepted = books.webhooks.filter(({ outcome }) => outcome === 'ok');
  const published = books.published.filter(({ eventId }) => eventId !== null);
  const eventOf = new Map(books.receipts.map(({ receiptId, eventId }) => [receiptId, eventId]));
  const events = new Set(books.events.map(({ id }) => id));
  const violations: string[] = [];
  const must = <T>(what: string, wrong: readonly T[], describe: (each: T) => string): void => {
    if (wrong.length === 0) return;
    violations.push(`${wrong.length} ${what}: ${wrong.slice(0, shown).map(describe).join(', ')}`);
  };

  must(
    'webhooks were not taken',
    books.webhooks.filter(({ outcome }) => outcome !== 'ok'),
    ({ detail }) => detail,
  );
  must(
    'publishes were not taken',
    books.published.filter(({ eventId }) => eventId === null),
    ({ detail }) => detail,
  );
  must(
    'accepted webhooks are lost: their receipts lead to no event',
    accepted.filter(({ receiptId }) => !events.has(eventOf.get(receiptId ?? '') ?? '')),
    ({ receiptId }) => receiptId ?? 'without a receipt',
  );
  const eventsOfWebhook = new Map<string, Set<string>>();
  for (const { webhook, receiptId } of accepted) {
    const eventId = eventOf.get(receiptId ?? '');
    if (eventId) eventsOfWebhook.set(webhook, (eventsOfWebhook.get(webhook) ?? new Set()).add(eventId));
  }
  must(
    'webhooks have become more than one event',
    [...eventsOfWebhook.values()].filter(({ size }) => size > 1),
    (ids) => [...ids].join(' and '),
  );
  must(
    'published events are not there',
    published.filter(({ eventId }) => !events.has(eventId ?? '')),
    ({ eventId }) => eventId ?? '',
  );

  const byEvent = Map.groupBy(books.deliveries, ({ eventId }) => eventId);
  const named = (each: { eventId: string; endpoint: string }): string => `${each.eventId} to ${each.endpoint}`;
  must(
    'deliveries that are due do not exist, or twice',
    books.events.flatMap(({ id, sourceId }) => {
      const made = byEvent.get(id) ?? [];
      return books
        .endpointsOf(sourceId)
        .filter((name) => made.filter(({ endpoint }) => endpoint === name).length !== 1)
        .map((endpoint) => ({ eventId: id, endpoint }));
    }),
    named,
  );
  const delivered = books.deliveries.filter(({ status }) => status === 'delivered');
  const deadLettered = books.deliveries.filter(({ status }) => status === 'dead_lettered');
  must(
    'deliveries have not ended',
    books.deliveries.filter(({ status }) => status !== 'delivered' && status !== 'dead_lettered'),
    (each) => `${named(each)}: ${each.status}`,
  );
  must(
    'deliveries are called delivered, and have not arrived',
    delivered.filter(({ endpoint, eventId }) => books.arrivals.get(endpoint)?.has(eventId) !== true),
    named,
  );
  must(
    'deliveries are dead without a dead letter',
    deadLettered.filter(({ id }) => !books.deadLetters.has(id)),
    named,
  );
  for (const [poller, seen] of books.polled)
    must(
      `events were not seen to end by the poller ${poller}`,
      books.events.filter(({ id }) => !seen.has(id)),
      ({ id }) => id,
    );
  if (accepted.length === 0 || deadLettered.length === 0) violations.push('no webhook was accepted, or none has died');
  return {
    accepted: accepted.length,
    distinct: eventsOfWebhook.size,
    published: published.length,
    events: events.size,
    deliveries: books.deliveries.length,
    delivered: delivered.length,
    deadLettered: deadLettered.length,
    violations,
  };
}

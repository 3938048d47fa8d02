import { maxPayloadBytes } from '#lib/contract';
import type { GroupEnding, KeptResponse, KeyedRequest } from '#lib/idempotency';
import type { OutboxEvent } from '../../outbox/outbox-event.ts';
import type { RouteDeps } from '../../route.ts';
import { insertPublishedEvents, type PublishedEvent } from '../published.ts';
import { createGatherer } from './gather-by-tenant.ts';

/**
 * `POST /v1/events` in groups: what came from a tenant while its last transaction was under way is published in the next, with keys or without.
 * One tenant's transactions can't run side by side, since each has the tenant's clock until its commit is on disk: many events share one.
 *
 * After the COMMIT the outbox publishes the events from memory: services/api/outbox/held-events.ts.
 */

export interface Publishing {
  /**
   * @returns its outcome; `id` is that of the event with its identifier, if it was stored
   * @throws AppError store_unavailable, limit_reached
   */
  publish(event: PublishedEvent, keyed: KeyedRequest | undefined): Promise<Published>;
}

interface Published {
  ending: GroupEnding;
  id: string;
}

type Deps = Pick<RouteDeps, 'idempotency' | 'waiting' | 'outbox' | 'metrics' | 'clock' | 'log'>;

/** Their transaction takes some ten milliseconds. */
const maxEvents = 128;
/** Large payloads are rare, and delay others by at most so much. */
const maxBytes = 2 * maxPayloadBytes;
/** A millisecond or two on an idle machine, more if clients are slower to come back too. */
const lingerMs = (tookMs: number): number => Math.min(20, tookMs / 4);

interface Entry {
  event: PublishedEvent;
  keyed: KeyedRequest | undefined;
}

const bytesOf = ({ event }: Entry): number => event.payload.length;

export function createPublishing({ idempotency, waiting, outbox, metrics, clock, log }: Deps): Publishing {
  /** The keys of requests that wait or run here. */
  const underWay = new Set<string>();

  async function publishGroup(group: readonly Entry[]): Promise<Published[]> {
    metrics.publishedTogether.observe(group.length);
    const ids = new Map<number, string>();
    const hold = outbox.hold(group.reduce((sum, entry) => sum + bytesOf(entry), 0));
    let inserted: Promise<OutboxEvent[]> = Promise.resolve([]);
    let endings: GroupEnding[];
    try {
      endings = await idempotency.store.runTogether(
        group.map(({ keyed }) => keyed),
        async (tx, running) => {
          const entries = running.map((at) => group[at] as Entry);
          const events = entries.map(({ event }) => event);
          const published = await insertPublishedEvents(tx, events, hold.isClaiming);
          inserted = published.inserted;
          // A record, and the row of an identifier, is kept only with its event; without them, the COMMIT is sent along.
          if (entries.some(({ event, keyed }) => keyed !== undefined || event.event_id !== null)) await inserted;
          running.forEach((at, turn) => ids.set(at, published.ids[turn] as string));
          return published.ids.map(publishedAnswer);
        },
      );
      if (endings.some(({ kind }) => kind === 'kept')) hold.committed(await inserted);
      else if (endings.some(({ kind }) => kind === 'unknown')) hold.unknown(await inserted.catch(() => []));
      else hold.none();
    } catch (error) {
      hold.none();
      throw error;
    }
    const failure = endings.find((ending) => ending.kind === 'alone' && ending.because !== undefined);
    if (failure?.kind === 'alone') {
      const tenant = group[0]?.event.tenant;
      log.warn({ event: 'publishing.group_failed', tenant, size: group.length, err: failure.because });
    }
    return endings.map((ending, at) => ({ ending, id: ids.get(at) ?? '' }));
  }

  const gatherer = createGatherer<Entry, Published>({
    ...waiting,
    run: publishGroup,
    maxItems: maxEvents,
    maxBytes,
    lingerMs,
    bytesOf,
    clock,
  });
  waiting.show(gatherer.waiting);

  return {
    async publish(event, keyed) {
      if (keyed === undefined) return gatherer.add(event.tenant, { event, keyed });
      const key = nameOf(keyed);
      // Its lock would be had twice by one transaction.
      if (underWay.has(key)) return { ending: { kind: 'in_progress' }, id: '' };
      underWay.add(key);
      try {
        return await gatherer.add(event.tenant, { event, keyed });
      } finally {
        underWay.delete(key);
      }
    },
  };
}

/** The response to a published event, from any process. */
export const publishedAnswer = (id: string): KeptResponse => ({
  status: 202,
  headers: { 'content-type': 'application/json; charset=utf-8', location: `/v1/events/${id}` },
  body: Buffer.from(JSON.stringify({ id })),
});

const nameOf = ({ tenant, credential, keyHash }: KeyedRequest): string =>
  `${tenant}/${credential}/${keyHash.toString('latin1')}`;

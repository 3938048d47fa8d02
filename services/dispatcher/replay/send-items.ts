/**
 * Sends what a replay has taken. A delivery as fan-out would: the set of its event's deliveries first, under the replay's generation, so
 * that none is under way that the event's status does not wait for; then the deliveries, created now, with a whole window before them. Any
 * other record goes back to where it came from. Their ids are a function of the item: sent again after a crash, they are the same.
 */
import type { WaitOut } from '#lib/backoff';
import type { Clock } from '#lib/clock';
import { type AttemptRecord, deliveryHeaders, type Topics, traceHeaders } from '#lib/contract';
import { derivedId } from '#lib/ids';
import type { OutgoingRecord } from '#lib/kafka';
import type { ItemEnd, LeasedReplay, ReplayItem } from '#lib/replay-store';
import type { EndpointDirectory } from '../endpoint-directory.ts';
import { fannedOut } from '../fanned-out.ts';
import { forEachLimited } from '../for-each-limited.ts';
import { orderingKeyOf } from '../ordering.ts';
import type { Publish } from '../publish.ts';
import { type Publication, publishAll } from '../publish-all.ts';
import type { EventContent, WaitingTable } from '../waiting-table.ts';
import { recordOfLetter } from './record-of-letter.ts';

/** Resolves when each was sent, or can't be. @throws AppError stopped when the signal aborts */
export type SendItems = (replay: LeasedReplay, items: readonly ReplayItem[], signal: AbortSignal) => Promise<ItemEnd[]>;

interface Deps {
  directory: Pick<EndpointDirectory, 'get' | 'refresh'>;
  table: Pick<WaitingTable, 'contents'>;
  encodeAttempt(record: AttemptRecord): Buffer;
  publish: Publish;
  waitOut: WaitOut;
  topics: Topics;
  clock: Clock;
}

type DeliveryItem = Extract<ReplayItem, { kind: 'delivery' }>;

const maxUnacknowledged = 100;

export function createSendItems({ directory, table, encodeAttempt, publish, waitOut, topics, clock }: Deps): SendItems {
  const nowMicros = (): number => Math.round(clock.nowMs() * 1_000);

  /** Why it would end without being sent. It would be a letter again at once: better it stays the one that it is. */
  function whyNot(tenant: string, { endpointId }: DeliveryItem): string | undefined {
    const endpoint = directory.get(tenant, endpointId);
    if (endpoint === undefined) return 'endpoint_unknown';
    if (endpoint.deletedAt !== null) return 'endpoint_deleted';
    return endpoint.disabledAt === null ? undefined : 'endpoint_disabled';
  }

  async function contentsOf(
    tenant: string,
    items: readonly DeliveryItem[],
    signal: AbortSignal,
  ): Promise<Map<string, EventContent>> {
    const events = [...new Set(items.map(({ eventId }) => eventId))].map((eventId) => ({ tenant, eventId }));
    if (events.length === 0) return new Map();
    const contents = await waitOut(() => table.contents(events), signal);
    return new Map(contents.map((content) => [content.eventId, content]));
  }

  const idOf = (replay: LeasedReplay, { eventId, endpointId, generation }: DeliveryItem): string =>
    derivedId('dlv', Math.floor(replay.createdAt / 1_000), [eventId, endpointId, String(generation)]);

  function setsOf(
    replay: LeasedReplay,
    items: readonly DeliveryItem[],
    contents: ReadonlyMap<string, EventContent>,
  ): OutgoingRecord[] {
    const sets = Map.groupBy(items, ({ eventId, generation }) => `${generation}/${eventId}`);
    return [...sets.values()].flatMap((set) => {
      const [first] = set;
      if (first === undefined) return [];
      const { eventId, generation } = first;
      const deliveries = set.map((item) => ({ delivery_id: idOf(replay, item), endpoint_id: item.endpointId }));
      const record = fannedOut({ tenant: replay.tenant, event_id: eventId, generation, at: nowMicros(), deliveries });
      const headers = traceHeaders(contents.get(eventId)?.traceparent);
      return { topic: topics['delivery.attempts'], key: eventId, value: encodeAttempt(record), headers };
    });
  }

  function deliveryOf(replay: LeasedReplay, item: DeliveryItem, content: EventContent): Publication {
    const { type, receivedAt, orderingKey, contentType, traceparent, payload } = content;
    const headers = deliveryHeaders({
      id: idOf(replay, item),
      tenant: replay.tenant,
      eventId: item.eventId,
      eventType: type,
      endpointId: item.endpointId,
      generation: item.generation,
      createdAt: nowMicros(),
      receivedAt,
      orderingKey,
      contentType,
      traceparent,
    });
    const key = orderingKeyOf(directory.get(replay.tenant, item.endpointId), { orderingKey });
    return {
      record: { topic: topics.deliveries, key: item.endpointId, value: payload, headers },
      order: key && `${item.endpointId}/${key}`,
    };
  }

  return async (replay, items, signal) => {
    const { tenant } = replay;
    const wanted = items.filter((item) => item.kind === 'delivery');
    // It may have been opened again a moment ago, and that be the reason for the replay.
    if (wanted.some((item) => whyNot(tenant, item) !== undefined)) await waitOut(directory.refresh, signal);
    const contents = await contentsOf(tenant, wanted, signal);

    const ends: ItemEnd[] = [];
    const deliveries: DeliveryItem[] = [];
    const publications: Publication[] = [];
    for (const item of items) {
      const { publication, reason } = plan(item);
      ends.push({ item: item.item, reason: reason ?? null });
      if (publication === undefined) continue;
      publications.push(publication);
      if (item.kind === 'delivery') deliveries.push(item);
    }

    await forEachLimited(setsOf(replay, deliveries, contents), maxUnacknowledged, (set) => publish(set, signal));
    await publishAll(publications, { publish, limit: maxUnacknowledged, signal });
    return ends;

    function plan(item: ReplayItem): { publication?: Publication; reason?: string } {
      if (item.kind === 'missing') return { reason: 'letter_removed' };
      if (item.kind === 'record') {
        const record = recordOfLetter(item, topics);
        return record === undefined ? { reason: 'topic_unknown' } : { publication: { record, order: undefined } };
      }
      const reason = whyNot(tenant, item);
      if (reason !== undefined) return { reason };
      const content = contents.get(item.eventId);
      return content === undefined ? { reason: 'payload_expired' } : { publication: deliveryOf(replay, item, content) };
    }
  };
}

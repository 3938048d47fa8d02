/**
 * Sends the items of a replay. Deliveries go out as in fan-out: first the set of their event under the replay generation, so that the
 * event's status waits for them; then the deliveries, created now, with a whole retry window. Any other record returns to its own topic, and so
 * do all records of a batch that can be decoded by now.
 * Ids are a function of the item, so sending again after a crash gives the same ones.
 *
 * A record that Kafka refuses, because it is too large for its topic by now, is not retried for ever. A delivery whose set is written ends
 * as a dead letter; any other item fails.
 */
import {
  type Delivery,
  deliveryHeaders,
  type HeaderText,
  isShortened,
  parseUndecodableBatch,
  passedHeaders,
  type Topics,
  unpackHeaders,
} from '#lib/contract';
import type { ErasedEvents } from '#lib/erasure';
import type { ItemEnd, LeasedReplay, ReplayItem } from '#lib/replay-store';
import { type Clock, derivedId, nowMicros, type WaitOut } from '#lib/runtime';
import type { EndpointDirectory } from '../endpoints/endpoint-directory.ts';
import { type EndRefused, refusedByKafka } from '../fan-out/end-refused.ts';
import type { DeliverySet, WriteSet } from '../fan-out/write-set.ts';
import type { EventContent } from '../model/event-content.ts';
import { orderingKeyOf } from '../model/ordering.ts';
import { forEachLimited, type Publication, publishAll } from '../publishing/publish-all.ts';
import type { Offer } from '../publishing/publish.ts';
import type { AskedContent, WaitingTable } from '../waiting/waiting-table.ts';
import { recordOfDeadLetter } from './record-of-dead-letter.ts';
import { type ReadBatchAgain, recordsOfBatch } from './records-of-batch.ts';

/** Resolves when each was sent, or can't be. @throws AppError stopped when the signal aborts */
export type SendItems = (replay: LeasedReplay, items: readonly ReplayItem[], signal: AbortSignal) => Promise<ItemEnd[]>;

interface Deps {
  directory: Pick<EndpointDirectory, 'get' | 'refresh' | 'recent'>;
  table: Pick<WaitingTable, 'contents'>;
  writeSet: WriteSet;
  offer: Offer;
  endRefused: EndRefused;
  erased: Pick<ErasedEvents, 'has' | 'recent'>;
  waitOut: WaitOut;
  topics: Topics;
  /** The most that a batch may have when it is decompressed. */
  decompressedBytes: number;
  readBatchAgain: ReadBatchAgain;
  clock: Clock;
}

type DeliveryItem = Extract<ReplayItem, { kind: 'delivery' }>;

interface ItemPublication extends Publication {
  item: ReplayItem;
  /** Set if the item is a delivery. */
  delivery?: Delivery;
}

const maxUnacknowledged = 100;

export function createSendItems(deps: Deps): SendItems {
  const { directory, table, writeSet, offer, endRefused, waitOut, topics, clock } = deps;

  /** Why it would end without being sent. It would be a dead letter again at once: better it stays the one that it is. */
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
    const events = new Map<string, AskedContent>();
    for (const { eventId, endpointId } of items) {
      const passesHeaders = directory.get(tenant, endpointId)?.passHeaders !== undefined;
      const withRequest = passesHeaders || (events.get(eventId)?.withRequest ?? false);
      events.set(eventId, { tenant, eventId, withRequest });
    }
    if (events.size === 0) return new Map();
    const contents = await waitOut(() => table.contents([...events.values()]), signal);
    return new Map(contents.map((content) => [content.eventId, content]));
  }

  const idOf = (replay: LeasedReplay, { eventId, endpointId, generation }: DeliveryItem): string =>
    derivedId('dlv', Math.floor(replay.createdAt / 1_000), [eventId, endpointId, String(generation)]);

  function setsOf(
    replay: LeasedReplay,
    items: readonly DeliveryItem[],
    contents: ReadonlyMap<string, EventContent>,
  ): (DeliverySet & { items: DeliveryItem[] })[] {
    const sets = Map.groupBy(items, ({ eventId, generation }) => `${generation}/${eventId}`);
    return [...sets.values()].flatMap((set) => {
      const [first] = set;
      if (first === undefined) return [];
      const { eventId, generation } = first;
      const deliveries = set.map((item) => ({ delivery_id: idOf(replay, item), endpoint_id: item.endpointId }));
      const { traceparent } = contents.get(eventId) ?? {};
      return { tenant: replay.tenant, eventId, generation, traceparent, deliveries, items: set };
    });
  }

  function deliveryOf(replay: LeasedReplay, item: DeliveryItem, content: EventContent): ItemPublication {
    const { type, receivedAt, orderingKey, contentType, contentEncoding, traceparent, payload, trail, request } =
      content;
    const endpoint = directory.get(replay.tenant, item.endpointId);
    const facts = {
      id: idOf(replay, item),
      tenant: replay.tenant,
      eventId: item.eventId,
      eventType: type,
      endpointId: item.endpointId,
      generation: item.generation,
      createdAt: nowMicros(clock),
      receivedAt,
      orderingKey,
      contentType,
      contentEncoding,
      passedHeaders: passedHeaders(endpoint?.passHeaders, request),
      trail,
      traceparent,
      ...(replay.isTest && { isUrgent: true as const }),
    };
    const key = orderingKeyOf(endpoint, { orderingKey });
    return {
      item,
      record: { topic: topics.deliveries, key: item.endpointId, value: payload, headers: deliveryHeaders(facts) },
      order: key && `${item.endpointId}/${key}`,
      delivery: { ...facts, payload },
    };
  }

  return async (replay, items, signal) => {
    const { tenant } = replay;
    await Promise.all([directory.recent(), deps.erased.recent()]);
    const wanted = items.filter((item) => item.kind === 'delivery');
    // The endpoint may have just been enabled, as the reason for the replay.
    if (wanted.some((item) => whyNot(tenant, item) !== undefined)) await waitOut(directory.refresh, signal);
    const contents = await contentsOf(tenant, wanted, signal);

    const reasons = new Map<ReplayItem, string>();
    const planned: ItemPublication[] = [];
    for (const item of items) {
      const plan = await planOf(item);
      if (typeof plan === 'string') reasons.set(item, plan);
      else planned.push(...plan);
    }

    const deliveries = planned.flatMap(({ item }) => (item.kind === 'delivery' ? item : []));
    await forEachLimited(setsOf(replay, deliveries, contents), maxUnacknowledged, async (set) => {
      if ((await writeSet(set, signal)) === undefined) return;
      for (const item of set.items) reasons.set(item, refusedByKafka);
    });
    const announced = planned.filter(({ item }) => !reasons.has(item));
    await publishAll(announced, {
      limit: maxUnacknowledged,
      publish: async ({ item, record, delivery }) => {
        if ((await offer(record, signal)) === undefined) return;
        if (delivery === undefined) reasons.set(item, refusedByKafka);
        else await endRefused(delivery, signal);
      },
    });
    return items.map((item) => ({ item: item.item, reason: reasons.get(item) ?? null }));

    /** @returns the reason as text if it can't be sent */
    async function planOf(item: ReplayItem): Promise<ItemPublication[] | string> {
      if (item.kind === 'missing') return 'letter_removed';
      if (item.kind === 'record') {
        // A shortened record is not the one that died, and its stage would take it for that.
        const headers = unpackHeaders(item.headers);
        if (isShortened(headers)) return 'letter_shortened';
        const batch = parseUndecodableBatch(textOf(headers));
        if (batch !== undefined) {
          const records = await recordsOfBatch(item, batch, deps);
          if (typeof records === 'string') return records;
          return records.map((record) => ({ item, record, order: record.key?.toString('latin1') }));
        }
        const record = recordOfDeadLetter(item, topics);
        return record === undefined ? 'topic_unknown' : [{ item, record, order: undefined }];
      }
      const reason = whyNot(tenant, item);
      if (reason !== undefined) return reason;
      const content = contents.get(item.eventId);
      if (deps.erased.has({ tenant, event_id: item.eventId })) return 'event_erased';
      return content === undefined ? 'payload_expired' : [deliveryOf(replay, item, content)];
    }
  };
}

const textOf = (headers: Readonly<Record<string, readonly Buffer[]>>): HeaderText =>
  Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, values.at(-1)?.toString() ?? '']));

import { hash } from 'node:crypto';
import { type EventRecord, publishedSourceId, sourceDefaults } from '#lib/contract';
import { bodyHashOf, type Candidate, createDedupStore, createPostgresKeyTable, type KeyMemory } from '#lib/dedup-store';
import { isNotErased } from '#lib/event-store';
import { createEventCodec } from '#lib/kafka';
import type { Query } from '#lib/postgres';
import type { Context } from '../context.ts';
import { describe, print } from '../output/print.ts';
import { inLots, rebuild, type RebuildValues } from './rebuild-stores.ts';

/**
 * Gives dedup its rows back from what was published: each event of a webhook is decided as its record was, so that it holds its key again. A
 * row of another webhook that has not expired by then stays.
 */
export function rebuildDedup(values: RebuildValues, context: Context): Promise<number> {
  const dryRun = values['dry-run'];
  return rebuild<EventRecord>(values, context, {
    topic: 'events',
    createCodec: createEventCodec,
    async work({ postgres, read }) {
      const table = createPostgresKeyTable(postgres);
      const store = createDedupStore({ memory: nothingRemembered, table });
      const counts = { dry_run: dryRun, events: 0, restored: 0 };

      const restore = async (candidates: readonly Candidate[]): Promise<readonly unknown[]> => {
        if (dryRun) return (await table.read(candidates)).filter((row) => row === undefined);
        const verdicts = await store.decide(candidates);
        const own = candidates.filter((_, index) => ['first', 'republish'].includes(verdicts[index]?.kind ?? ''));
        await store.complete(own);
        return own;
      };

      const ttls = await readTtls(postgres);
      await read(async (all) => {
        const events = all.filter(({ source_id }) => source_id !== publishedSourceId);
        counts.events += events.length;
        const kept = await inLots(events, (lot) => notErased(postgres, lot));
        const lists = oneOfEachKey(kept.map((event) => candidateOf(event, ttls)));
        for (const candidates of dryRun ? lists.slice(0, 1) : lists)
          counts.restored += (await inLots(candidates, restore)).length;
      });
      print(context, counts, values.json, describe);
      return 0;
    },
  });
}

/** By the id of the source: seconds. */
type Ttls = ReadonlyMap<string, number>;

async function readTtls(postgres: Query): Promise<Ttls> {
  const rows = await postgres.query<{ id: string; ttl: number | null }>(
    `SELECT id, (settings->>'dedup_ttl_seconds')::integer AS ttl FROM sources`,
  );
  return new Map(rows.flatMap(({ id, ttl }) => (ttl === null ? [] : [[id, ttl] as const])));
}

const candidateOf = (event: EventRecord, ttls: Ttls): Candidate => ({
  tenant: event.tenant,
  key: event.dedup_key,
  origin: event.origin,
  eventId: event.id,
  bodyHash: bodyHashOf(hash('sha256', event.payload, 'buffer')),
  receivedAt: event.received_at,
  ttlSeconds: ttls.get(event.source_id) ?? sourceDefaults.dedup_ttl_seconds,
});

/** Lists in which no key is twice: the first of each key, then the second of each. */
function oneOfEachKey(candidates: readonly Candidate[]): Candidate[][] {
  const inOrder = candidates.toSorted((a, b) => a.receivedAt - b.receivedAt);
  const ofKeys = Map.groupBy(inOrder, ({ tenant, key }) => `${tenant}/${key.toString('hex')}`);
  const lists: Candidate[][] = [];
  for (const ofKey of ofKeys.values())
    for (const [nth, candidate] of ofKey.entries()) (lists[nth] ??= []).push(candidate);
  return lists;
}

async function notErased(postgres: Query, events: readonly EventRecord[]): Promise<readonly EventRecord[]> {
  const rows = await postgres.query<{ id: string }>(
    `SELECT i.id FROM unnest($1::text[], $2::text[]) AS i (tenant, id) WHERE ${isNotErased('i.tenant', 'i.id')}`,
    [events.map(({ tenant }) => tenant), events.map(({ id }) => id)],
  );
  const ids = new Set(rows.map(({ id }) => id));
  return events.filter(({ id }) => ids.has(id));
}

/** Dedup itself fills Redis when it meets the rows. */
const nothingRemembered: KeyMemory = {
  recall: async (keys) => keys.map(() => undefined),
  remember: async () => undefined,
};

/** The store without one of its protections each, or with another protocol: what the safety tests must find out. */
import type { Candidate, DedupStore, KeyMemory, Verdict } from '#lib/dedup-store';
import type { World } from './world.ts';

/** Keys are claimed in Redis before the decision, by `SET key id NX GET`; who finds another’s claim is a duplicate, without the table. */
export const claimsSettle = (store: DedupStore, { memory }: World): DedupStore => ({
  ...store,
  recall: async (candidates) =>
    candidates.map(({ key, eventId }) => {
      const holder = memory.claim(key, eventId);
      return holder === undefined || holder === eventId ? undefined : duplicateOf(holder);
    }),
});

/** The same by a plain `SET NX`: the value does not say whose claim it is. */
export const anyClaimSettles = (store: DedupStore, { memory }: World): DedupStore => ({
  ...store,
  recall: async (candidates) =>
    candidates.map(({ key, eventId }) => {
      const holder = memory.claim(key, eventId);
      return holder === undefined ? undefined : duplicateOf(holder);
    }),
});

/** A row that is there makes a duplicate of every record, its own included. */
export const conflictIsDuplicate = (store: DedupStore): DedupStore => ({
  ...store,
  decide: async (candidates) =>
    (await store.decide(candidates)).map((verdict) =>
      verdict.kind === 'republish' ? { ...verdict, kind: 'duplicate' as const } : verdict,
    ),
});

/** Takes an insert that met a row for done, without a second look. */
export const conflictIsDone = (store: DedupStore): DedupStore => ({
  ...store,
  decide: async (candidates) =>
    (await store.decide(candidates)).map((verdict) =>
      verdict.kind === 'republish' ? { ...verdict, kind: 'done' as const } : verdict,
    ),
});

/** Takes a record that Redis does not know for a first one, whatever the table has. */
export const redisDecides = (store: DedupStore): DedupStore => ({
  ...store,
  decide: async (candidates) => {
    await store.decide(candidates);
    return candidates.map(({ eventId, bodyHash }) => ({
      kind: 'first',
      holder: { eventId, bodyHash },
      expiresAt: null,
    }));
  },
});

/** Takes a record that Redis can't tell from the holder for the holder: its event is published, so there is nothing to do. */
export const namesakeIsDone = (store: DedupStore, { memory }: World): DedupStore => ({
  ...store,
  recall: (candidates) => believing(store, memory, candidates, 'done'),
});

/** Takes every record whose key Redis knows for a duplicate, the holder's too. */
export const traceSettles = (store: DedupStore, { memory }: World): DedupStore => ({
  ...store,
  recall: (candidates) => believing(store, memory, candidates, 'duplicate'),
});

async function believing(
  store: DedupStore,
  memory: KeyMemory,
  candidates: readonly Candidate[],
  kind: Verdict['kind'],
): Promise<(Verdict | undefined)[]> {
  const verdicts = await store.recall(candidates);
  const traces = await memory.recall(candidates.map(({ key }) => key)).catch(() => []);
  return verdicts.map((verdict, index) => {
    const trace = traces[index];
    return verdict ?? (trace && { kind, ...trace });
  });
}

const duplicateOf = (eventId: string): Verdict => ({
  kind: 'duplicate',
  holder: { eventId, bodyHash: Buffer.alloc(8) },
  expiresAt: null,
});

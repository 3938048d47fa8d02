/**
 * Has the table decide on the first records of a batch's keys, so that one record or tenant holds up no other: data that the table refuses is
 * isolated, and where a row is locked each tenant's keys are decided by themselves.
 */
import { bisect } from '#lib/dead-letters';
import type { DedupStore, Verdict } from '#lib/dedup-store';
import { isLocked } from '#lib/postgres';
import type { AppError, WaitOut } from '#lib/runtime';
import type { Group } from './group.ts';

interface Decisions {
  decided: { group: Group; verdict: Verdict }[];
  /** Groups whose first record the table refuses. */
  undecidable: { group: Group; error: AppError }[];
  /** Groups of tenants that are to be waited for, in order: a row of theirs is locked, and none of these is decided. */
  locked: Group[];
}

/** Waits while Postgres is away. @throws AppError stopped when the signal aborts */
export type Decide = (groups: readonly Group[], signal: AbortSignal) => Promise<Decisions>;

export function createDecide({ store, waitOut }: { store: Pick<DedupStore, 'decide'>; waitOut: WaitOut }): Decide {
  async function decideTogether(groups: readonly Group[], signal: AbortSignal): Promise<Decisions> {
    let isHeld = false;
    const { done, culprits } = await bisect(groups, (part) =>
      waitOut(async () => {
        // Nothing is decided before what comes before it.
        if (isHeld) return part.map(() => undefined);
        try {
          return await store.decide(part.map(({ first }) => first.candidate));
        } catch (error) {
          if (!isLocked(error)) throw error;
          isHeld = true;
          return part.map(() => undefined);
        }
      }, signal),
    );
    return {
      decided: done.flatMap(({ item, result }) => (result === undefined ? [] : [{ group: item, verdict: result }])),
      undecidable: culprits.map(({ item, error }) => ({ group: item, error })),
      locked: done.filter(({ result }) => result === undefined).map(({ item }) => item),
    };
  }

  return async (groups, signal) => {
    const together = await decideTogether(groups, signal);
    const tenants = [...Map.groupBy(together.locked, ({ first }) => first.candidate.tenant).values()];
    if (tenants.length < 2) return together;
    const apart = await Promise.all(tenants.map((theirs) => decideTogether(theirs, signal)));
    return {
      decided: [together, ...apart].flatMap(({ decided }) => decided),
      undecidable: [together, ...apart].flatMap(({ undecidable }) => undecidable),
      locked: apart.flatMap(({ locked }) => locked),
    };
  };
}

import { mayHold, type Verdict } from '#lib/dedup-store';
import type { Item } from './item.ts';

/** Records of one key within a batch: the first is decided, the others follow it. */
export interface Group {
  first: Item;
  followers: Item[];
}

/** Groups in the order of their firsts, records in the order given. */
export function collapse(items: readonly Item[]): Group[] {
  const groups = new Map<string, Group>();
  for (const item of items) {
    const key = item.candidate.key.toString('latin1');
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { first: item, followers: [] });
    else group.followers.push(item);
  }
  return [...groups.values()];
}

export interface Shares {
  /** Duplicates of the verdict's holder. */
  duplicates: Item[];
  /** Items to decide again, without the ended ones. */
  open: Item[];
}

/** Divides a group's records by the verdict on its first. The first itself, unless it is a duplicate, is in no share. */
export function shareOut({ first, followers }: Group, { kind, holder, expiresAt }: Verdict): Shares {
  const holds = ({ candidate }: Item): boolean => mayHold(candidate, holder);
  const holderItself = followers.find(holds);
  // A worker died after inserting the key for a later record of this batch. That record goes first now, and the others follow its outcome;
  // as a follower it would count as a duplicate of itself.
  if (kind === 'duplicate' && expiresAt === null && holderItself !== undefined)
    return { duplicates: [], open: [holderItself, first, ...followers.filter((item) => item !== holderItself)] };

  // A follower received after the key's expiry is new again, though the record before it was not. A record that may be the holder is asked
  // about.
  const isCovered = (item: Item): boolean =>
    !holds(item) && (expiresAt === null || item.candidate.receivedAt < expiresAt);
  return {
    duplicates: [...(kind === 'duplicate' ? [first] : []), ...followers.filter(isCovered)],
    open: followers.filter((item) => !isCovered(item)),
  };
}

import type { ToldKind } from '../system/result.ts';

/** The group of faults that hit the same sort of thing: the kind's track, but that clocks and disks have groups of their own. */
const groupOf = ({ kind, track }: Pick<ToldKind, 'kind' | 'track'>): string => {
  if (kind.endsWith('-clock-steps')) return 'clocks';
  if (kind.endsWith('-disk-full')) return 'disks';
  return groupsOfTracks[track];
};

const groupsOfTracks: Readonly<Record<ToldKind['track'], string>> = {
  ingress: 'processes',
  dedup: 'processes',
  dispatcher: 'processes',
  projector: 'processes',
  api: 'processes',
  groups: 'groups of processes',
  brokers: 'brokers',
  stores: 'stores',
  'broker links': 'links to brokers',
  'other links': 'other links',
  locks: 'locks',
  machine: 'the machine',
};

const order = [...new Set(Object.values(groupsOfTracks)), 'clocks', 'disks'];

/** The groups with kinds, in the same order for every run. */
export function groupsOf(kinds: readonly ToldKind[]): { group: string; kinds: ToldKind[] }[] {
  const byGroup = Map.groupBy(kinds, groupOf);
  return order.flatMap((group) => {
    const ofGroup = byGroup.get(group);
    return ofGroup === undefined ? [] : [{ group, kinds: ofGroup }];
  });
}

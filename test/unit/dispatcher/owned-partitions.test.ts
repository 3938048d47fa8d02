import { createManualClock } from '#lib/runtime';
import { createOwnedPartitions } from '../../../services/dispatcher/model/owned-partitions.ts';

const partition = { topic: 'deliveries', partition: 3 };

function createOwned() {
  const owned = createOwnedPartitions(createManualClock());
  owned.assigned([partition]);
  return owned;
}

describe('whether an earlier owner may have had a delivery', () => {
  const clock = createManualClock();
  const owned = createOwnedPartitions(clock);
  const seconds = 1_000_000;
  const now = clock.nowMs() * 1_000;
  owned.assigned([partition]);
  owned.firstRead(partition, 20n);

  it('goes by what was on the topic, whatever time it says: its clock may have been ahead', () => {
    expect(owned.mayHaveHadAnother(3, 19n, now + 600 * seconds)).toBe(true);
    expect(owned.mayHaveHadAnother(3, 20n, now + 600 * seconds)).toBe(false);
  });

  it('goes by its time, too, as long as one who has lost the partition may not know it', () => {
    expect(owned.mayHaveHadAnother(3, 20n, now + 59 * seconds)).toBe(true);
    expect(owned.mayHaveHadAnother(3, 20n, now + 61 * seconds)).toBe(false);
  });

  it('may be, of a partition that is not ours', () => {
    expect(owned.mayHaveHadAnother(4, 20n, now + 600 * seconds)).toBe(true);
  });
});

describe('how far a partition was taken in', () => {
  it('is not known before it is read; then what is below its start was taken by others', () => {
    const owned = createOwned();
    expect(owned.hasTaken(3, 0n)).toBe(false);
    owned.opened(partition, 10n);
    expect([owned.hasTaken(3, 9n), owned.hasTaken(3, 10n), owned.hasTaken(4, 0n)]).toEqual([true, false, false]);
  });

  it('goes on with what is taken in, and never back', () => {
    const owned = createOwned();
    const { signal } = new AbortController();
    owned.opened(partition, 10n);
    owned.markTakenBelow(3, 15n, signal);
    owned.markTakenBelow(3, 12n, signal);
    expect([owned.hasTaken(3, 14n), owned.hasTaken(3, 15n)]).toEqual([true, false]);
  });

  it('begins anew when it is assigned again, and what was read before counts for nothing', () => {
    const owned = createOwned();
    const before = new AbortController();
    owned.opened(partition, 10n);
    owned.markTakenBelow(3, 15n, before.signal);
    before.abort();
    owned.revoked([partition]);
    expect(owned.hasTaken(3, 0n)).toBe(false);
    owned.assigned([partition]);
    owned.markTakenBelow(3, 15n, before.signal);
    expect(owned.hasTaken(3, 9n)).toBe(false);
    owned.opened(partition, 12n);
    expect([owned.hasTaken(3, 11n), owned.hasTaken(3, 12n)]).toEqual([true, false]);
  });
});

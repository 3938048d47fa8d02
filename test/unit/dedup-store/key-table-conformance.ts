import type { Candidate, KeyTable } from '#lib/dedup-store';
import { candidateOf, second } from './candidates.ts';

interface Subject {
  table: KeyTable;
  /** The database's time, in microseconds. */
  now(): Promise<number> | number;
}

/** The conformance suite of KeyTable: run by the fake that unit tests use, and by Postgres. `create` gives an empty one. */
export function describeKeyTable(name: string, create: () => Promise<Subject> | Subject): void {
  describe(`a key table (${name})`, () => {
    let table: KeyTable;
    let now: Subject['now'];
    beforeEach(async () => {
      ({ table, now } = await create());
    });

    const first = candidateOf({ id: 'a', offset: 1 });
    const second_ = candidateOf({ id: 'a', offset: 2, body: 'another' });
    const other = candidateOf({ id: 'b', offset: 3 });
    const readOne = async (candidate: Candidate) => (await table.read([candidate]))[0];
    /** A completed row whose expiry is known. */
    const completed = async (candidate: Candidate): Promise<number> => {
      await table.insert([candidate]);
      await table.complete([candidate]);
      return (await readOne(candidate))?.expiresAt ?? Number.NaN;
    };

    it('adds a row per key once, and answers in the order that it was asked in', async () => {
      expect(await table.insert([other, first])).toEqual([true, true]);
      expect(await table.insert([second_, candidateOf({ id: 'c', offset: 4 }), other])).toEqual([false, true, false]);
    });

    it('reads rows in the order that it was asked in, and undefined where there is none', async () => {
      await table.insert([first, other]);
      const rows = await table.read([candidateOf({ id: 'c', offset: 9 }), other, second_]);
      expect(rows.map((row) => row?.eventId)).toEqual([undefined, other.eventId, first.eventId]);
      expect(rows[2]).toEqual({
        eventId: first.eventId,
        bodyHash: first.bodyHash,
        generation: 0,
        expiresAt: null,
      });
    });

    it('counts the time to live from the completion, not from the receipt', async () => {
      const before = await now();
      const expiresAt = await completed(candidateOf({ id: 'a', offset: 1, receivedAt: before - 1e12, ttlSeconds: 60 }));
      expect(expiresAt).toBeGreaterThanOrEqual(before + 60 * second);
      expect(expiresAt).toBeLessThanOrEqual((await now()) + 60 * second);
    });

    it('says when each completed row expires, in the order that it was asked in', async () => {
      await table.insert([first, other]);
      const [othersExpiry, firstsExpiry] = await table.complete([{ ...other, ttlSeconds: 60 }, first]);
      expect(othersExpiry).toBe((await readOne(other))?.expiresAt);
      expect(firstsExpiry).toBe((await readOne(first))?.expiresAt);
    });

    it('completes a row once: a second completion does not prolong it', async () => {
      const expiresAt = await completed(first);
      expect(await table.complete([{ ...first, ttlSeconds: first.ttlSeconds * 2 }])).toEqual([undefined]);
      expect((await readOne(first))?.expiresAt).toBe(expiresAt);
    });

    it('completes only the row of the event that it was asked for', async () => {
      await table.insert([first]);
      expect(await table.complete([second_])).toEqual([undefined]);
      expect(await readOne(first)).toMatchObject({ eventId: first.eventId, expiresAt: null });
    });

    it('completes no key twice in one statement', async () => {
      await expect(table.complete([first, second_])).rejects.toMatchObject({ code: 'store_unavailable' });
      expect(await readOne(first)).toBeUndefined();
    });

    it('adds the completed row again where it is gone', async () => {
      await table.complete([first]);
      expect(await readOne(first)).toMatchObject({ eventId: first.eventId, expiresAt: expect.any(Number) as number });
    });

    it('gives an expired key to the next record, as a new generation that is not completed', async () => {
      const expiresAt = await completed(first);
      const next = candidateOf({ id: 'a', offset: 7, body: 'new', receivedAt: expiresAt });
      expect(await table.takeOver([{ candidate: next, generation: 0 }])).toEqual([true]);
      expect(await readOne(next)).toEqual({
        eventId: next.eventId,
        bodyHash: next.bodyHash,
        generation: 1,
        expiresAt: null,
      });
    });

    it('does not give a key away to a record that was received before its expiry', async () => {
      const expiresAt = await completed(first);
      const late = candidateOf({ id: 'a', offset: 7, receivedAt: expiresAt - 1 });
      expect(await table.takeOver([{ candidate: late, generation: 0 }])).toEqual([false]);
      expect(await readOne(first)).toMatchObject({ eventId: first.eventId, generation: 0 });
    });

    it('does not give away a key that is not completed, however old', async () => {
      await table.insert([first]);
      const next = candidateOf({ id: 'a', offset: 7, receivedAt: 8e15 });
      expect(await table.takeOver([{ candidate: next, generation: 0 }])).toEqual([false]);
    });

    it('gives a key to one of two that saw the same generation', async () => {
      const expiresAt = await completed(first);
      const rivals = [7, 8].map((offset) => candidateOf({ id: 'a', offset, receivedAt: expiresAt + offset }));
      const taken = await Promise.all(rivals.map((candidate) => table.takeOver([{ candidate, generation: 0 }])));
      expect(taken.flat().sort()).toEqual([false, true]);
    });

    it('removes a row that is not completed, and of its own event only', async () => {
      await table.insert([first]);
      await table.remove(second_);
      expect(await readOne(first)).toBeDefined();
      await table.remove(first);
      expect(await readOne(first)).toBeUndefined();
    });

    it('does not remove a completed row', async () => {
      await completed(first);
      await table.remove(first);
      expect(await readOne(first)).toBeDefined();
    });

    it('keeps the keys of tenants apart', async () => {
      const theirs = candidateOf({ id: 'a', offset: 1, tenant: 'other' });
      expect(await table.insert([first])).toEqual([true]);
      expect(await table.insert([theirs])).toEqual([true]);
    });

    it('drops what expired longer ago than is kept, and nothing else', async () => {
      await table.insert([other]);
      await completed(candidateOf({ id: 'short', offset: 5, ttlSeconds: 0 }));
      await completed(first);
      expect(await table.dropExpired(3600, 100)).toBe(0);
      // A row that expires in an hour is older than a day from now.
      expect(await table.dropExpired(-1800, 100)).toBe(1);
      expect(await table.dropExpired(-24 * 3600, 100)).toBe(1);
      expect(await readOne(first)).toBeUndefined();
      expect(await readOne(other)).toBeDefined();
    });

    it('drops no more at once than it is told', async () => {
      await table.complete([1, 2, 3].map((offset) => candidateOf({ id: `short ${offset}`, offset, ttlSeconds: 0 })));
      expect([
        await table.dropExpired(-60, 2),
        await table.dropExpired(-60, 2),
        await table.dropExpired(-60, 2),
      ]).toEqual([2, 1, 0]);
    });
  });
}

import type { CompletedKey, KeyMemory } from '#lib/dedup-store';
import { candidateOf } from './candidates.ts';

interface Subject {
  memory: KeyMemory;
  /** The server's time, in microseconds. */
  now(): number;
  /** Lets at least this time pass for the server. */
  pass(ms: number): Promise<void>;
}

/** What the fast level must do: run by the fake that unit tests use, and by Redis. `create` gives an empty one. */
export function describeKeyMemory(name: string, create: () => Promise<Subject> | Subject): void {
  describe(`a key memory (${name})`, () => {
    let memory: KeyMemory;
    let now: Subject['now'];
    let pass: Subject['pass'];
    beforeEach(async () => {
      ({ memory, now, pass } = await create());
    });

    /** Whole milliseconds, as all that must be remembered of a time. */
    const completed = (id: string, offset: number, livesMs = 60_000): CompletedKey => {
      const { key, eventId, bodyHash } = candidateOf({ id, offset });
      return { key, eventId, bodyHash, expiresAt: (Math.floor(now() / 1000) + livesMs) * 1000 };
    };

    it('recalls what it was told, in the order that it is asked in, and knows nothing else', async () => {
      const [a, b] = [completed('a', 1), completed('b', 2)];
      await memory.remember([a, b]);
      expect(await memory.recall([b.key, completed('c', 3).key, a.key])).toEqual([b, undefined, a]);
    });

    it('keeps what it has of a key for as long as that lives, and then takes the next', async () => {
      const [first, next] = [completed('a', 1, 300), completed('a', 2, 90_000)];
      await memory.remember([first]);
      await memory.remember([next]);
      expect(await memory.recall([first.key])).toEqual([first]);
      await pass(400);
      await memory.remember([next]);
      expect(await memory.recall([first.key])).toEqual([next]);
    });

    it('forgets each key at its own time', async () => {
      const [short, long] = [completed('a', 1, 300), completed('b', 2)];
      await memory.remember([short, long]);
      await pass(400);
      expect(await memory.recall([short.key, long.key])).toEqual([undefined, long]);
    });

    it('does not bring back what is expired when it is told', async () => {
      const old = completed('a', 1, -1_000);
      await memory.remember([old]);
      expect(await memory.recall([old.key])).toEqual([undefined]);
    });

    it('keeps tenants apart', async () => {
      await memory.remember([completed('a', 1)]);
      expect(await memory.recall([candidateOf({ id: 'a', offset: 1, tenant: 'other' }).key])).toEqual([undefined]);
    });
  });
}

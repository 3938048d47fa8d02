import { bodyTagOf, type CompletedKey, eventIdEndOf, type KeyMemory } from '#lib/dedup-store';
import { candidateOf, second } from './candidates.ts';

interface Subject {
  memory: KeyMemory;
  /** The server's time, in microseconds. */
  now(): number;
  /** Lets at least this time pass for the server. */
  pass(ms: number): Promise<void>;
}

/** How much earlier than the row a trace of it may end. */
const longestLead = 3 * second;

/** The conformance suite of the fast level: run by the fake that unit tests use, and by Redis. `create` gives an empty one. */
export function describeKeyMemory(name: string, create: () => Promise<Subject> | Subject): void {
  describe(`a key memory (${name})`, () => {
    let memory: KeyMemory;
    let now: Subject['now'];
    let pass: Subject['pass'];
    beforeEach(async () => {
      ({ memory, now, pass } = await create());
    });

    const completed = (id: string, offset: number, livesMs = 60_000): CompletedKey => {
      const { key, eventId, bodyHash } = candidateOf({ id, offset });
      return { key, eventId, bodyHash, expiresAt: now() + livesMs * 1000 };
    };
    /** That it knows of the rows' keys what it must know of these rows; of undefined, nothing. */
    const expectTraces = async (
      keys: readonly Buffer[],
      rows: readonly (CompletedKey | undefined)[],
    ): Promise<void> => {
      const traces = await memory.recall(keys);
      expect(traces.map((trace) => trace?.holder)).toEqual(
        rows.map(
          (row) => row && { eventId: null, eventIdEnd: eventIdEndOf(row.eventId), bodyTag: bodyTagOf(row.bodyHash) },
        ),
      );
      traces.forEach((trace, index) => {
        const lead = (rows[index]?.expiresAt ?? 0) - (trace?.expiresAt ?? 0);
        expect(lead).toBeGreaterThanOrEqual(0);
        expect(lead).toBeLessThan(longestLead);
      });
    };

    it('recalls what it was told, in the order that it is asked in, and knows nothing else', async () => {
      const [a, b] = [completed('a', 1), completed('b', 2)];
      await memory.remember([a, b]);
      await expectTraces([b.key, completed('c', 3).key, a.key], [b, undefined, a]);
    });

    it('tells every end of an id and every tag of a body, never beyond the row’s expiry', async () => {
      const rows = Array.from({ length: 3_000 }, (_, offset) => completed(`id ${offset}`, offset, 60_000 + offset));
      await memory.remember(rows);
      await expectTraces(
        rows.map(({ key }) => key),
        rows,
      );
    });

    it('keeps what it has of a key for as long as that lives, and then takes the next', async () => {
      const [first, next] = [completed('a', 1, 3_000), completed('a', 2, 90_000)];
      await memory.remember([first]);
      await memory.remember([next]);
      await expectTraces([first.key], [first]);
      await pass(3_000);
      await memory.remember([next]);
      await expectTraces([first.key], [next]);
    });

    it('forgets each key at its own time', async () => {
      const [short, long] = [completed('a', 1, 3_000), completed('b', 2)];
      await memory.remember([short, long]);
      await pass(3_000);
      await expectTraces([short.key, long.key], [undefined, long]);
    });

    it('does not bring back what is expired when it is told', async () => {
      const old = completed('a', 1, -1_000);
      await memory.remember([old]);
      await expectTraces([old.key], [undefined]);
    });

    it('keeps tenants apart', async () => {
      await memory.remember([completed('a', 1)]);
      await expectTraces([candidateOf({ id: 'a', offset: 1, tenant: 'other' }).key], [undefined]);
    });
  });
}

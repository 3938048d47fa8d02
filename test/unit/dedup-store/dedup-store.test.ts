import { bodyTagOf, type Candidate, createDedupStore, type DedupStore, eventIdEndOf } from '#lib/dedup-store';
import { createManualClock, type ManualClock } from '#lib/runtime';
import { candidateOf, second, startMicros } from './candidates.ts';
import { createFakeKeyMemory, type FakeKeyMemory } from './fake-key-memory.ts';
import { createFakeKeyTable, type FakeKeyTable } from './fake-key-table.ts';

let clock: ManualClock;
let memory: FakeKeyMemory;
let table: FakeKeyTable;
let store: DedupStore;

beforeEach(() => {
  clock = createManualClock();
  memory = createFakeKeyMemory(clock.nowMs);
  table = createFakeKeyTable(clock.nowMs);
  store = createDedupStore({ memory, table });
});

const mine = candidateOf({ id: 'a', offset: 1 });
const rival = candidateOf({ id: 'a', offset: 2, body: 'another' });
/** A rival that Redis can't tell from the candidate: its id ends in the same two characters. */
const namesake = (candidate: Candidate): Candidate => {
  for (let offset = 100; ; offset += 1) {
    const other = candidateOf({ id: 'a', offset });
    if (eventIdEndOf(other.eventId) === eventIdEndOf(candidate.eventId)) return other;
  }
};
const traceOf = ({ eventId, bodyHash }: Candidate) => ({
  eventId: null,
  eventIdEnd: eventIdEndOf(eventId),
  bodyTag: bodyTagOf(bodyHash),
});
const holderOf = ({ eventId, bodyHash }: Candidate) => ({ eventId, bodyHash });
const decideOne = async (candidate: Candidate) => (await store.decide([candidate]))[0];
const publish = async (candidate: Candidate): Promise<void> => {
  await store.decide([candidate]);
  await store.complete([candidate]);
};

describe('what Redis remembers', () => {
  it('makes duplicates of later records of a published key, without the table', async () => {
    await publish(mine);
    table.state = 'away';
    expect(await store.recall([rival])).toEqual([
      { kind: 'duplicate', holder: traceOf(mine), expiresAt: startMicros + 3600 * second },
    ]);
  });

  it('is not enough to settle a record that may be the holder itself: the table is asked', async () => {
    await publish(mine);
    const other = namesake(mine);
    expect(await store.recall([mine, other])).toEqual([undefined, undefined]);
    expect(await store.decide([mine])).toMatchObject([{ kind: 'done' }]);
    expect(await store.decide([other])).toMatchObject([{ kind: 'duplicate', holder: holderOf(mine) }]);
  });

  it('is nothing of a key that is not published: its worker may be dead', async () => {
    await store.decide([mine]);
    expect(await store.recall([rival, mine])).toEqual([undefined, undefined]);
  });

  it('does not hold for a record that was received after the expiry, whatever time Redis has', async () => {
    await publish(mine);
    const next = candidateOf({ id: 'a', offset: 9, receivedAt: startMicros + 3600 * second });
    expect(await store.recall([next])).toEqual([undefined]);
  });

  it('is not needed: the table decides while it is away, or has lost everything', async () => {
    await publish(mine);
    memory.state = 'refusing';
    expect(await store.recall([rival, mine])).toEqual([undefined, undefined]);
    memory.state = 'up';
    memory.flushAll();
    expect(await store.recall([rival, mine])).toEqual([undefined, undefined]);
    expect(await decideOne(rival)).toMatchObject({ kind: 'duplicate', holder: holderOf(mine) });
  });

  it('comes back with the first record that had to ask the table, with the row’s own expiry', async () => {
    await publish({ ...mine, ttlSeconds: 60 });
    memory.flushAll();
    await decideOne(rival);
    expect(await store.recall([rival])).toMatchObject([{ kind: 'duplicate', expiresAt: startMicros + 60 * second }]);
  });

  it('does not fail what it could not be told of', async () => {
    memory.state = 'refusing';
    await publish(mine);
    expect(await decideOne(rival)).toMatchObject({ kind: 'duplicate' });
  });
});

describe('the decision', () => {
  it('is first where the table has no row', async () => {
    expect(await decideOne(mine)).toEqual({ kind: 'first', holder: holderOf(mine), expiresAt: null });
  });

  it('is to publish again where the own row is not completed', async () => {
    await decideOne(mine);
    expect(await decideOne(mine)).toEqual({ kind: 'republish', holder: holderOf(mine), expiresAt: null });
  });

  it('is done where the own row is completed, also after its expiry', async () => {
    await publish({ ...mine, ttlSeconds: 0 });
    expect(await decideOne(mine)).toMatchObject({ kind: 'done', expiresAt: startMicros });
  });

  it('is duplicate where the row is another record’s, completed or not', async () => {
    await decideOne(mine);
    expect(await decideOne(rival)).toEqual({ kind: 'duplicate', holder: holderOf(mine), expiresAt: null });
    await store.complete([mine]);
    expect(await decideOne(rival)).toMatchObject({ kind: 'duplicate', expiresAt: startMicros + 3600 * second });
  });

  it('is first where another record’s row had expired when this one was received', async () => {
    await publish(mine);
    const next = candidateOf({ id: 'a', offset: 9, receivedAt: startMicros + 3600 * second });
    expect(await decideOne(next)).toEqual({ kind: 'first', holder: holderOf(next), expiresAt: null });
    expect(table.row(next)).toMatchObject({ eventId: next.eventId, generation: 1 });
  });

  it('is duplicate for a record that was received before the expiry, however late it is decided', async () => {
    await publish(mine);
    await clock.advance(10 * 24 * 3600_000);
    const late = candidateOf({ id: 'a', offset: 9, receivedAt: startMicros + 3600 * second - 1 });
    expect(await decideOne(late)).toMatchObject({ kind: 'duplicate', holder: holderOf(mine) });
  });

  it('decides every candidate of a batch by its own row, in the order given', async () => {
    const others = ['b', 'c', 'd'].map((id, index) => candidateOf({ id, offset: 10 + index }));
    const [fresh, unfinished, finished] = others as [Candidate, Candidate, Candidate];
    await decideOne(unfinished);
    await publish(finished);
    await publish(mine);
    const verdicts = await store.decide([rival, fresh, finished, unfinished]);
    expect(verdicts.map(({ kind }) => kind)).toEqual(['duplicate', 'first', 'done', 'republish']);
  });

  it('reads again where an expired key went to a rival in between', async () => {
    await publish({ ...mine, ttlSeconds: 0 });
    const [one, two] = [7, 8].map((offset) => candidateOf({ id: 'a', offset, receivedAt: startMicros + offset }));
    const takeOver = table.takeOver.bind(table);
    table.takeOver = async (wanted) => {
      table.takeOver = takeOver;
      await takeOver([{ candidate: two as Candidate, generation: 0 }]);
      return takeOver(wanted);
    };
    expect(await decideOne(one as Candidate)).toMatchObject({ kind: 'duplicate', holder: holderOf(two as Candidate) });
  });

  it('inserts again where the row that it met is gone when it is read', async () => {
    await decideOne(rival);
    const read = table.read.bind(table);
    table.read = async (candidates) => {
      table.read = read;
      await table.remove(rival);
      return read(candidates);
    };
    expect(await decideOne(mine)).toMatchObject({ kind: 'first' });
  });

  it('fails while the table is away', async () => {
    table.state = 'away';
    await expect(decideOne(mine)).rejects.toMatchObject({ code: 'store_unavailable' });
  });
});

describe('the release', () => {
  it('leaves no row behind, so that the next record of the key is the first', async () => {
    await decideOne(mine);
    await store.release(mine);
    expect(await decideOne(rival)).toMatchObject({ kind: 'first' });
  });

  it('leaves alone what another record holds, and what is published', async () => {
    await publish(rival);
    await store.release(mine);
    await store.release(rival);
    expect(table.row(rival)).toMatchObject({ expiresAt: startMicros + 3600 * second });
  });

  it('takes a candidate for absent that the table can’t be asked about', async () => {
    table.refuses = () => true;
    await expect(store.release(mine)).resolves.toBeUndefined();
  });

  it('fails while the table is away', async () => {
    table.state = 'away';
    await expect(store.release(mine)).rejects.toMatchObject({ code: 'store_unavailable' });
  });
});

describe('a completion that comes late', () => {
  it('adds the row again that was released meanwhile: the event is on its topic', async () => {
    await decideOne(mine);
    await store.release(mine);
    await store.complete([mine]);
    expect(await decideOne(rival)).toMatchObject({ kind: 'duplicate', holder: holderOf(mine) });
  });

  it('does not touch a key that has gone to another record, nor what Redis remembers of it', async () => {
    await publish({ ...mine, ttlSeconds: 0 });
    const next = candidateOf({ id: 'a', offset: 9, receivedAt: startMicros + 1 });
    await publish(next);
    await store.complete([mine]);
    expect(table.row(next)).toMatchObject({ eventId: next.eventId });
    expect(await store.recall([rival])).toMatchObject([{ holder: traceOf(next) }]);
  });
});

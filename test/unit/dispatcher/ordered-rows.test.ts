import { AppError, createManualClock } from '#lib/runtime';
import { createOrderedRows } from '../../../services/dispatcher/ordered/ordered-rows.ts';
import type { OrderedTurn, TurnAnswer } from '../../../services/dispatcher/ordered/ordered-table.ts';
import { asked, idOf, orderedRow, rowRef } from '../../support/ordered-table-conformance.ts';
import { locked } from '../projector/store-errors.ts';
import { settle } from './fixtures.ts';

const wanted = () => true;
const away = new AppError('store_unavailable', 'away');

/** Names that tell a turn from others. */
const namesOf = ({ rows, removed, asked: questions, keys }: OrderedTurn): string[] => [
  ...removed.map(({ deliveryId }) => `- ${deliveryId}`),
  ...rows.map(({ deliveryId }) => `+ ${deliveryId}`),
  ...questions.map(({ id }) => `? ${id}`),
  ...keys.map(({ key }) => `line ${key}`),
];

/** @param early by so many ms each timer ends too soon, as timers of Node may */
function createWorld({ early = 0 } = {}) {
  const clock = createManualClock();
  const world = {
    turns: [] as OrderedTurn[],
    /** A hook that holds up each turn. */
    answer: async (_turn: OrderedTurn): Promise<void> => undefined,
  };
  const rows = createOrderedRows({
    table: {
      async apply(turn): Promise<TurnAnswer> {
        world.turns.push(turn);
        await world.answer(turn);
        // A place that tells whose it is: blocked where the delivery is the second of its key.
        const places = turn.asked.map(({ order }) => ({ blocked: order.sequence === 2n, known: false }));
        const lines = turn.keys.map(({ key }) => [{ ...orderedRow({ at: 1, key }), payloadBytes: 1, ended: false }]);
        return { places, lines };
      },
    },
    clock: { ...clock, sleep: (ms, signal) => clock.sleep(Math.max(ms - early, 0.1), signal) },
    random: () => 0.5,
  });
  return { clock, world, rows, turns: () => world.turns.map(namesOf) };
}

const id = (at: number, key?: string): string => idOf({ at, key });

describe('the way to the ordered rows', () => {
  it('makes one turn of all that comes while another is on its way, and tells each its own answer', async () => {
    const { rows, turns } = createWorld();
    const first = rows.write(orderedRow({ at: 1 }), wanted);
    const others = Promise.all([
      rows.placesOf([asked({ at: 2 }), asked({ at: 3 })], wanted),
      rows.linesOf([{ ...orderedRow({ at: 1 }), key: 'bb', rows: 5 }]),
      rows.remove([rowRef({ at: 4 })]),
      rows.placesOf([asked({ at: 3, key: 'cc' })], wanted),
      rows.linesOf([{ ...orderedRow({ at: 1 }), key: 'cc', rows: 5 }]),
    ]);
    await first;
    const [places, lines, , otherPlaces, otherLines] = await others;
    expect(turns()).toEqual([
      [`+ ${id(1)}`],
      [`- ${id(4)}`, `? ${id(2)}`, `? ${id(3)}`, `? ${id(3, 'cc')}`, 'line bb', 'line cc'],
    ]);
    expect(places.map(({ blocked }) => blocked)).toEqual([true, false]);
    expect(otherPlaces.map(({ blocked }) => blocked)).toEqual([false]);
    expect([lines, otherLines].map(([line]) => line?.map(({ order }) => order.key))).toEqual([['bb'], ['cc']]);
  });

  it('never has two turns at once, nor one before another that came sooner', async () => {
    const { rows, world, turns } = createWorld();
    const ends: (() => void)[] = [];
    world.answer = () => new Promise<void>((resolve) => ends.push(resolve));
    for (const at of [1, 2, 3]) {
      void rows.write(orderedRow({ at }), wanted);
      await settle();
    }
    expect(turns()).toEqual([[`+ ${id(1)}`]]);
    ends[0]?.();
    await settle();
    expect(turns()).toEqual([[`+ ${id(1)}`], [`+ ${id(2)}`, `+ ${id(3)}`]]);
  });

  it('has at most a thousand rows and questions in a turn, but for an entry that alone has more', async () => {
    const { rows, world } = createWorld();
    const many = (count: number) => Array.from({ length: count }, (_, at) => asked({ at }));
    await Promise.all([400, 600, 500, 600, 1_500, 1].map((count) => rows.placesOf(many(count), wanted)));
    // The first is on its way before the others come.
    expect(world.turns.map((turn) => turn.asked.length)).toEqual([400, 600, 500, 600, 1_500, 1]);
    await Promise.all([1, 400, 600, 2].map((count) => rows.placesOf(many(count), wanted)));
    expect(world.turns.slice(6).map((turn) => turn.asked.length)).toEqual([1, 1_000, 2]);
  });

  it('waits while Postgres is away, pauses between two tries, and keeps what came in its order', async () => {
    const { rows, world, turns, clock } = createWorld();
    world.answer = () => Promise.reject(away);
    const [first, second] = [1, 2].map((at) => rows.write(orderedRow({ at }), wanted));
    for (let minute = 0; minute < 5; minute += 1) await clock.advance(60_000);
    expect(turns().length).toBeGreaterThan(100);
    expect(turns().length).toBeLessThan(2_000);
    world.answer = async () => undefined;
    await clock.advance(2_500);
    await Promise.all([first, second]);
    expect(turns().at(-1)).toEqual([`+ ${id(1)}`, `+ ${id(2)}`]);
  });

  it('tries a removal and a reading once: whoever wants them asks again', async () => {
    const { rows, world, turns, clock } = createWorld();
    world.answer = () => Promise.reject(away);
    const removed = rows.remove([rowRef({ at: 1 })]);
    const read = rows.linesOf([{ ...orderedRow({ at: 1 }), key: 'aa', rows: 1 }]);
    const written = rows.write(orderedRow({ at: 2 }), wanted);
    await expect(removed).rejects.toMatchObject({ code: 'store_unavailable' });
    await expect(read).rejects.toMatchObject({ code: 'store_unavailable' });
    world.answer = async () => undefined;
    await clock.advance(2_500);
    await written;
    expect(turns().at(-1)).toEqual([`+ ${id(2)}`]);
  });

  it('gives up what is not wanted any more, and goes on with the others', async () => {
    const { rows, world, turns, clock } = createWorld();
    world.answer = () => Promise.reject(away);
    let isWanted = true;
    const lost = rows.write(orderedRow({ at: 1 }), () => isWanted);
    const kept = rows.placesOf([asked({ at: 2 })], wanted);
    await settle();
    isWanted = false;
    world.answer = async () => undefined;
    const refused = expect(lost).rejects.toMatchObject({ code: 'stopped' });
    await clock.advance(2_500);
    await refused;
    expect(await kept).toEqual([{ blocked: true, known: false }]);
    expect(turns().at(-1)).toEqual([`? ${id(2)}`]);
  });

  it('fails for nobody but whose row the table refuses', async () => {
    const { rows, world } = createWorld();
    world.answer = async ({ rows: written }) => {
      if (written.some(({ deliveryId }) => deliveryId === id(3))) throw new AppError('data_invalid', 'refused');
    };
    const results = await Promise.allSettled([1, 2, 3, 4, 5].map((at) => rows.write(orderedRow({ at }), wanted)));
    expect(results.map(({ status }) => status)).toEqual([
      ...['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
    ]);
    await rows.remove([rowRef({ at: 1 })]);
  });

  it('says of a key that it is being written to, from the call on until the last of its rows is durable', async () => {
    const { rows, world } = createWorld();
    const ends: (() => void)[] = [];
    world.answer = () => new Promise<void>((resolve) => ends.push(resolve));
    const key = { tenant: 'acme', endpointId: 'ep_1', key: 'aa' };
    const writing = [1, 2].map((at) => rows.write(orderedRow({ at }), wanted));
    expect([rows.isBeingWritten(key), rows.isBeingWritten({ ...key, key: 'bb' })]).toEqual([true, false]);
    ends[0]?.();
    await writing[0];
    await settle();
    expect(rows.isBeingWritten(key)).toBe(true);
    ends[1]?.();
    await writing[1];
    expect(rows.isBeingWritten(key)).toBe(false);
  });

  describe('where rows of a tenant are locked', () => {
    const of = (tenant: string, at: number) => ({ ...orderedRow({ at }), tenant, deliveryId: `${tenant} ${at}` });
    function createLocked(given: Parameters<typeof createWorld>[0] = {}) {
      const created = createWorld(given);
      const locks = new Set(['held']);
      const done: string[] = [];
      created.world.answer = async ({ rows: written, removed, woken }) => {
        if ([...written, ...removed, ...woken].some(({ tenant }) => locks.has(tenant))) throw locked();
      };
      const write = (tenant: string, at: number): void =>
        void created.rows.write(of(tenant, at), wanted).then(() => done.push(`${tenant} ${at}`));
      return { ...created, locks, done, write };
    }

    it('the others’ are written at once, and that tenant’s in their order when the lock is given back', async () => {
      const { clock, turns, locks, done, write } = createLocked();
      for (const [tenant, at] of [
        ['free', 1],
        ['held', 1],
        ['other', 1],
        ['held', 2],
      ] as const)
        write(tenant, at);
      await settle();
      expect(done.toSorted()).toEqual(['free 1', 'other 1']);
      // Later ones queue up behind those, and nobody meets the lock again.
      write('held', 3);
      write('free', 2);
      await settle();
      expect(done.toSorted()).toEqual(['free 1', 'free 2', 'other 1']);
      expect(turns().at(-1)).toEqual(['+ free 2']);
      await clock.advance(60_000);
      const { length } = turns();
      expect(length).toBeLessThan(200);
      locks.clear();
      await clock.advance(2_500);
      expect(done.slice(3)).toEqual(['held 1', 'held 2', 'held 3']);
    });

    it('they are tried again, however early a timer ends', async () => {
      const { clock, locks, done, write } = createLocked({ early: 0.5 });
      write('held', 1);
      await settle();
      locks.clear();
      await clock.advance(2_500);
      expect(done).toEqual(['held 1']);
    });

    it('removals say what they leave, at once', async () => {
      const { rows, clock, locks } = createLocked();
      const removed = ['free', 'held'].map((tenant) => ({ ...rowRef({ at: 1 }), tenant }));
      expect(await rows.remove(removed)).toEqual([removed[1]]);
      expect(await rows.remove(removed)).toEqual([removed[1]]);
      locks.clear();
      await clock.advance(2_500);
      expect(await rows.remove(removed)).toEqual([]);
    });

    it('questions are answered, and a key with a row that is held back is blocked', async () => {
      const { rows, write } = createLocked();
      write('held', 1);
      await settle();
      const ask = [
        { at: 3, key: 'aa' },
        { at: 3, key: 'bb' },
      ].map((each) => ({ ...asked(each), tenant: 'held' }));
      const key = orderedRow({ at: 1 }).order.key;
      const places = await rows.placesOf(
        ask.map((each) => ({ ...each, order: { ...each.order, key: each.order.key === 'aa' ? key : each.order.key } })),
        wanted,
      );
      expect(places.map(({ blocked }) => blocked)).toEqual([true, false]);
    });
  });
});

import fc from 'fast-check';
import {
  compileFilter,
  createMatchTurns,
  type EventFilter,
  matchInTurns,
  maxEventSteps,
  maxFilterSteps,
  stepsPerTurn,
} from '#lib/event-filter';

interface Candidate {
  id: string;
  filter: EventFilter | null;
}

const bytes = Buffer.from('{"a":1}');
/** Without pauses: the steps of these tests are not real work. */
const turns = createMatchTurns(setImmediate);
const judge = (candidates: Iterable<Candidate>, judging = turns) =>
  matchInTurns(candidates, {
    tenant: 'acme',
    bytes,
    contentType: 'application/json',
    contentEncoding: null,
    turns: judging,
  });

/** A filter of so many steps. */
const filterOf =
  (steps: number, takes: boolean): EventFilter =>
  (_payload, maxSteps = maxFilterSteps) => {
    const given = Math.min(maxSteps, maxFilterSteps);
    return steps <= given ? { takes, steps } : { takes: true, steps: given, unjudged: 'steps' };
  };

const idOf = (index: number): string => `ep_${String(index).padStart(4, '0')}`;
const shown = (takers: Awaited<ReturnType<typeof judge>>): string[] =>
  takers.map(({ candidate, unjudged }) => `${candidate.id} ${unjudged ?? 'judged'}`);

describe('endpoints whose filters judge an event', () => {
  it('are those that take it, and those without a filter, in the order of their ids', async () => {
    const takers = await judge([
      { id: 'ep_3', filter: compileFilter({ a: 1 }) },
      { id: 'ep_1', filter: null },
      { id: 'ep_2', filter: compileFilter({ a: 2 }) },
    ]);
    expect(shown(takers)).toEqual(['ep_1 judged', 'ep_3 judged']);
  });

  it('get it unjudged beyond the bound of a filter, and from the endpoint on that is beyond the bound of the event', async () => {
    const each = maxFilterSteps / 2;
    const judged = maxEventSteps / each;
    const candidates = Array.from({ length: judged + 3 }, (_, index) => ({
      id: idOf(index),
      filter: filterOf(each, false),
    }));
    expect(shown(await judge(candidates))).toEqual([0, 1, 2].map((beyond) => `${idOf(judged + beyond)} event_steps`));
    expect(shown(await judge([{ id: 'ep_1', filter: filterOf(maxFilterSteps + 1, false) }]))).toEqual([
      'ep_1 filter_steps',
    ]);
  });

  const candidateLists = fc
    .array(
      fc.oneof(
        fc.record({ steps: fc.integer({ min: 1, max: 2 * maxFilterSteps }), takes: fc.boolean() }),
        fc.constant(null),
      ),
      { maxLength: 60, size: 'max' },
    )
    .map((given) =>
      given.map((each, index) => ({ id: idOf(index), filter: each && filterOf(each.steps, each.takes) })),
    );
  const shuffled = candidateLists.chain((list) =>
    fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
  );
  const isSame = (judging: typeof judge) =>
    fc.asyncProperty(shuffled, async ([list, again]) => {
      expect(shown(await judging(again))).toEqual(shown(await judging(list)));
    });

  it('are the same at each repetition, in whatever order they are given', async () => {
    await fc.assert(isSame(judge), { numRuns: 500 });
  });

  it('would not be, if they were judged in the order that they are given in', async () => {
    const asGiven: typeof judge = async (candidates) => {
      let stepsLeft = maxEventSteps;
      return [...candidates].flatMap((candidate) => {
        const { takes, steps } = candidate.filter?.({ bytes: 0, content: () => ({ kind: 'opaque' }) }, stepsLeft) ?? {
          takes: true,
          steps: 0,
        };
        stepsLeft -= steps;
        return takes ? [{ candidate }] : [];
      });
    };
    const sorted: typeof judge = async (candidates) =>
      (await asGiven(candidates)).sort((a, b) => (a.candidate.id < b.candidate.id ? -1 : 1));
    expect((await fc.check(isSame(sorted), { numRuns: 500, endOnFailure: true })).failed).toBe(true);
  });

  it('lose no webhook to a bound: whoever takes it by its filter gets it, too', async () => {
    await fc.assert(
      fc.asyncProperty(candidateLists, async (list) => {
        const takers = new Set((await judge(list)).map(({ candidate }) => candidate.id));
        for (const { id, filter } of list) {
          const judgement = filter?.({ bytes: 0, content: () => ({ kind: 'opaque' }) });
          if (judgement?.takes !== false) expect(takers).toContain(id);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('turns of judging', () => {
  function createLoop() {
    let next: (() => void)[] = [];
    const rests: number[] = [];
    const judging = createMatchTurns((work, restMs) => {
      next.push(work);
      if (restMs > 0) rests.push(restMs);
    });
    return {
      judging,
      /** How long each was that was asked for. */
      rests,
      get isIdle() {
        return next.length === 0;
      },
      /** One turn of the event loop. */
      async turn() {
        const due = next;
        next = [];
        due.forEach((begin) => begin());
        for (let round = 0; round < 50; round += 1) await Promise.resolve();
      },
    };
  }

  it('between them everything else has its own, after no more steps than a turn and one filter', async () => {
    const loop = createLoop();
    let spentInTurn = 0;
    const most: number[] = [];
    const filter: EventFilter = () => ((spentInTurn += 40_000), { takes: true, steps: 40_000 });
    const candidates = Array.from({ length: 24 }, (_, index) => ({ id: idOf(index), filter }));
    let isDone = false;
    const judged = judge(candidates, loop.judging).then((takers) => ((isDone = true), takers));
    while (!isDone) {
      most.push(spentInTurn);
      spentInTurn = 0;
      await loop.turn();
    }
    expect(await judged).toHaveLength(24);
    expect(Math.max(...most)).toBeLessThan(stepsPerTurn + 40_000);
    expect(most.length).toBeGreaterThanOrEqual(11);
  });

  it('rest for as long as they take, and a little work takes no rest', async () => {
    const loop = createLoop();
    loop.judging.spend(5_000);
    await loop.turn();
    expect(loop.rests).toEqual([]);

    loop.judging.spend(90_000);
    await loop.turn();
    expect(loop.rests).toEqual([15]);
    let isGranted = false;
    void loop.judging.wait('acme')?.then(() => (isGranted = true));
    await Promise.resolve();
    expect(isGranted).toBe(false);
    await loop.turn();
    expect(isGranted).toBe(true);
  });

  it('are shared by all that are judged at once', async () => {
    const loop = createLoop();
    let inTurn = 0;
    const most: number[] = [];
    const filter: EventFilter = () => ((inTurn += 1), { takes: true, steps: stepsPerTurn });
    let open = 10;
    for (let event = 0; event < 10; event += 1)
      void judge(
        [0, 1, 2].map((index) => ({ id: idOf(index), filter })),
        loop.judging,
      ).then(() => (open -= 1));
    while (open > 0) {
      most.push(inTurn);
      inTurn = 0;
      await loop.turn();
    }
    expect(Math.max(...most)).toBe(1);
  });

  it('go from tenant to tenant: one event waits for one share of each other tenant, however many events that has', async () => {
    const loop = createLoop();
    const order: string[] = [];
    const run = async (tenant: string): Promise<void> => {
      const wait = loop.judging.wait(tenant);
      if (wait !== undefined) await wait;
      loop.judging.spend(stepsPerTurn);
      order.push(tenant);
    };
    for (let event = 0; event < 20; event += 1) void run('busy');
    void run('other');
    for (let turn = 0; turn < 60; turn += 1) await loop.turn();
    expect(order.indexOf('other')).toBeLessThanOrEqual(2);
    expect(order).toHaveLength(21);
    expect(loop.isIdle).toBe(true);
  });
});

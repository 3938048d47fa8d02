import fc from 'fast-check';
import { compileFilter, matchedPayload, maxFilterSteps, problemsOfFilter } from '#lib/event-filter';
import { filters } from './filters.ts';

const json = 'application/json';
const judge = (filter: unknown, payload: unknown, maxSteps?: number) =>
  compileFilter(filter)(matchedPayload(Buffer.from(JSON.stringify(payload)), json), maxSteps);
const numbered = (length: number, each: (index: number) => unknown): unknown[] =>
  Array.from({ length }, (_, index) => each(index));

describe('the work of a filter', () => {
  it.each<[string, unknown, unknown, number]>([
    ['a value on the way and the one found', { 'data.amount': 5 }, { data: { amount: 7 } }, 3],
    ['nothing behind what is not there', { 'a.b.c.d': 5 }, { x: 1 }, 2],
    ['each element that a path goes through', { 'list.a': 5 }, { list: numbered(100, () => ({ a: 1 })) }, 202],
    ['each of a list', { list: { $gt: 5 } }, { list: numbered(100, () => 1) }, 102],
    ['each value of the filter where all are compared', { list: { $all: [1, 2, 3] } }, { list: [4, 5] }, 13],
    ['a list of the filter’s once, where it is looked up', { type: { $in: numbered(50, (n) => n) } }, { type: 99 }, 53],
    ['a list within each element', { l: { $elemMatch: { $in: [1, 2] } } }, { l: [7, 8, 9] }, 5 + 3 * 5],
    ['all of what is compared as a whole', { a: { b: 1 } }, { a: { c: [1, 2, 3] } }, 9],
    ['not what comes after the first that decides', { a: 1, 'list.a': 5 }, { a: 2, list: numbered(100, () => 1) }, 2],
  ])('is %s', (_what, filter, payload, steps) => {
    expect(judge(filter, payload)).toEqual({ takes: false, steps });
  });

  /** Values of the payload that are asked for while it is judged. */
  function watched(document: unknown, onGet: () => void): unknown {
    if (typeof document !== 'object' || document === null) return document;
    const inner = Array.isArray(document) ? document.map((value) => watched(value, onGet)) : { ...document };
    if (!Array.isArray(document))
      for (const [name, value] of Object.entries(document))
        (inner as Record<string, unknown>)[name] = watched(value, onGet);
    const count =
      <A extends unknown[], R>(of: (...args: A) => R) =>
      (...args: A): R => (onGet(), of(...args));
    return new Proxy(inner, {
      get: count(Reflect.get),
      has: count(Reflect.has),
      getOwnPropertyDescriptor: count(Reflect.getOwnPropertyDescriptor),
    });
  }

  const asked = (filter: unknown, document: unknown): { gets: number; steps: number } => {
    let gets = 0;
    const content = { kind: 'document', document: watched(document, () => (gets += 1)) as object } as const;
    const { steps } = compileFilter(filter)({ bytes: 0, content: () => content }, Number.POSITIVE_INFINITY);
    return { gets, steps };
  };
  /** The library goes through what it has found several times, and asks each object what it is. */
  const getsPerStep = 40;

  it('that is not counted is within a fixed multiple of what is, for any filter and payload', () => {
    let used = 0;
    fc.assert(
      fc.property(filters, fc.oneof(fc.object(), fc.array(fc.object())), (filter, given) => {
        if (problemsOfFilter(filter).length > 0) return;
        used += 1;
        const document = JSON.parse(JSON.stringify(given)) as unknown;
        const { gets, steps } = asked(filter, document);
        expect(gets).toBeLessThanOrEqual(getsPerStep * (steps + 1));
      }),
      { numRuns: 2_000 },
    );
    expect(used).toBeGreaterThan(200);
  });

  const many = numbered(20_000, (n) => ({ a: n }));
  const names = (count: number): string[] => numbered(count, (n) => `k${String(n)}`) as string[];
  /** Each took 0.1 to 1 s with nothing to bound it. */
  const heavy: [string, unknown, unknown][] = [
    [
      'many conditions in each element',
      { l: { $elemMatch: { $or: numbered(19, (n) => ({ a: -1 - Number(n) })) } } },
      { l: many },
    ],
    [
      'a list looked up in each element',
      { l: { $elemMatch: { a: { $in: numbered(700, (n) => -1 - Number(n)) } } } },
      { l: many },
    ],
    ['an object compared with each', { l: Object.fromEntries(names(300).map((name) => [name, 1])) }, { l: many }],
    ['objects that each must have', { l: { $all: [...numbered(18, () => ({ a: 19_999 })), { a: -1 }] } }, { l: many }],
    ['a long name looked up in each', { [`l.${'x'.repeat(4_000)}`]: 5 }, { l: many }],
    ['a long index looked up in each', { [`l.a.${'1'.repeat(4_000)}`]: 5 }, { l: numbered(20_000, () => ({ a: {} })) }],
    [
      'arrays of arrays, at each level',
      { $nor: numbered(20, () => ({ 'a.b.c.d': 5 })) },
      { a: numbered(200, () => [numbered(80, () => [1])]) },
    ],
  ];

  it.each(heavy)('ends at its bound: %s', (_what, filter, payload) => {
    expect(problemsOfFilter(filter)).toEqual([]);
    expect(judge(filter, payload)).toEqual({ takes: true, steps: maxFilterSteps, unjudged: 'steps' });
  });

  it('begins nothing that goes beyond the bound', () => {
    const [, filter, payload] = heavy[1] as (typeof heavy)[number];
    const document = watched(payload, () => (gets += 1)) as object;
    let gets = 0;
    compileFilter(filter)({ bytes: 0, content: () => ({ kind: 'document', document }) });
    expect(gets).toBeLessThan(getsPerStep * maxFilterSteps);
    gets = 0;
    compileFilter(filter)({ bytes: 0, content: () => ({ kind: 'document', document }) }, 10);
    // Counting itself has to look at a condition's path.
    expect(gets).toBeLessThan(getsPerStep * 10);
  });

  it('is the same at each repetition, with any bound; with one that is enough the answer is the filter’s', () => {
    fc.assert(
      fc.property(filters, fc.object(), fc.nat(200), (filter, given, maxSteps) => {
        if (problemsOfFilter(filter).length > 0) return;
        const document = JSON.parse(JSON.stringify(given)) as unknown;
        const whole = judge(filter, document);
        const bounded = judge(filter, document, maxSteps);
        expect(judge(filter, document, maxSteps)).toEqual(bounded);
        expect(bounded).toEqual(whole.steps <= maxSteps ? whole : { takes: true, steps: maxSteps, unjudged: 'steps' });
      }),
      { numRuns: 1_000 },
    );
  });

  it('of usual filters on usual payloads is far below the bound', () => {
    const payload = {
      type: 'order.paid',
      data: { amount: 900, currency: 'eur', lines: numbered(1_000, (n) => ({ sku: `s${String(n)}` })) },
    };
    const filter = {
      'data.amount': { $gte: 100, $lt: 1_000 },
      'data.currency': { $in: ['eur', 'usd'] },
      'data.lines.sku': 's999',
    };
    const { takes, steps } = judge(filter, payload);
    expect(takes).toBe(true);
    expect(steps).toBeLessThan(maxFilterSteps / 30);
  });
});

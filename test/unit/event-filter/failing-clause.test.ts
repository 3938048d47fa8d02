import fc from 'fast-check';
import { compileFilter, failingClause, matchedPayload, maxFilterSteps, problemsOfFilter } from '#lib/event-filter';
import { filters } from './filters.ts';

const json = 'application/json';
const of = (filter: unknown, payload: unknown) =>
  failingClause(
    filter,
    matchedPayload(Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)), json),
  );

describe('the first clause that refuses a payload', () => {
  it.each<[object, object, object]>([
    [
      { a: 1, b: 2 },
      { a: 1, b: 3 },
      { pointer: '/b', path: 'b', operator: '$eq', expected: 2 },
    ],
    [
      { a: 1, b: 2 },
      { a: 2, b: 3 },
      { pointer: '/a', path: 'a', operator: '$eq', expected: 1 },
    ],
    [
      { 'data.amount': { $gt: 5, $lt: 9 } },
      { data: { amount: 9 } },
      { pointer: '/data.amount/$lt', path: 'data.amount', operator: '$lt', expected: 9 },
    ],
    [
      { $and: [{ a: 1 }, { 'b/c~d': { $in: [1, 2] } }] },
      { a: 1 },
      { pointer: '/$and/1/b~1c~0d/$in', path: 'b/c~d', operator: '$in', expected: [1, 2] },
    ],
    [
      { $or: [{ a: 1 }, { a: 2 }] },
      { a: 3 },
      { pointer: '/$or', path: null, operator: '$or', expected: [{ a: 1 }, { a: 2 }] },
    ],
    [
      { $nor: [{ a: 1 }, { a: 2 }] },
      { a: 2 },
      { pointer: '/$nor/1', path: null, operator: '$nor', expected: { a: 2 } },
    ],
    [
      { a: { $not: { $exists: true } } },
      { a: 0 },
      { pointer: '/a/$not', path: 'a', operator: '$not', expected: { $exists: true } },
    ],
    [
      { items: { $elemMatch: { sku: 'x', n: { $gte: 2 } } } },
      { items: [{ sku: 'x', n: 1 }] },
      {
        pointer: '/items/$elemMatch',
        path: 'items',
        operator: '$elemMatch',
        expected: { sku: 'x', n: { $gte: 2 } },
      },
    ],
    [{ a: { b: 1 } }, { a: { b: 2 } }, { pointer: '/a', path: 'a', operator: '$eq', expected: { b: 1 } }],
  ])('%j of %j', (filter, payload, clause) => {
    expect(of(filter, payload).clause).toEqual(clause);
  });

  it('is none where the payload is not a JSON object or array', () => {
    for (const payload of ['', 'a=1', '5']) expect(of({ a: { $exists: false } }, payload).clause).toBeNull();
  });

  it('is one exactly if the filter refuses the payload, and costs about as much as the filter', () => {
    const payloads = fc.oneof(
      fc.dictionary(fc.constantFrom('a', 'length', 'x'), fc.jsonValue({ maxDepth: 3 })),
      fc.array(fc.jsonValue({ maxDepth: 2 })),
    );
    let refused = 0;
    fc.assert(
      fc.property(filters, payloads, (filter, document) => {
        fc.pre(problemsOfFilter(filter).length === 0);
        const payload = matchedPayload(Buffer.from(JSON.stringify(document)), json);
        const { takes, steps } = compileFilter(filter)(payload);
        if (takes) return;
        refused += 1;
        const { clause, steps: explaining } = failingClause(filter, payload);
        expect(clause).not.toBeNull();
        expect(explaining).toBeLessThanOrEqual(steps);
        expect(explaining).toBeLessThanOrEqual(maxFilterSteps);
      }),
      { numRuns: 2_000 },
    );
    expect(refused).toBeGreaterThan(100);
  });
});

import fc from 'fast-check';

/** Mostly near to what is allowed, so that many are. */
export const { filters } = fc.letrec((tie) => ({
  filters: fc.dictionary(
    fc.oneof(fc.constantFrom('a', 'a.b', 'constructor', '__proto__', 'a.0', 'length'), fc.string({ maxLength: 3 })),
    tie('condition'),
    { minKeys: 1, maxKeys: 3, noNullPrototype: true },
  ),
  condition: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.jsonValue(),
    fc.record({ $gt: fc.oneof(fc.integer(), fc.string()) }),
    fc.record({ $in: fc.array(fc.jsonValue(), { minLength: 1, maxLength: 3 }) }),
    fc.record({ $all: fc.array(fc.jsonValue(), { minLength: 1, maxLength: 3 }) }),
    fc.record({ $exists: fc.boolean() }),
    fc.record({ $not: tie('condition') }),
    fc.record({ $elemMatch: fc.oneof(tie('filters'), tie('condition')) }),
  ),
}));

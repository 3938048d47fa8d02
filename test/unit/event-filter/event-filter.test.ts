import fc from 'fast-check';
import { compileFilter, matchedPayload, problemsOfFilter } from '#lib/event-filter';
import { parseExact } from '#lib/exact-json';
import { filters } from './filters.ts';

const json = 'application/json';
const takes = (filter: unknown, payload: unknown): boolean =>
  compileFilter(filter)(matchedPayload(Buffer.from(JSON.stringify(payload)), json)).takes;
const takesBytes = (filter: unknown, payload: string | Buffer): boolean =>
  compileFilter(filter)(matchedPayload(Buffer.from(payload), json)).takes;

const charge = {
  id: 'evt_1',
  type: 'charge.succeeded',
  data: {
    object: { amount: 1_200, currency: 'eur', paid: true, refund: null },
    lines: [
      { sku: 'a', quantity: 1 },
      { sku: 'b', quantity: 5 },
    ],
    tags: ['new', 'eu'],
  },
};

describe('a filter takes a payload', () => {
  it.each([
    [{ 'data.object.currency': 'eur' }, true],
    [{ 'data.object.currency': 'usd' }, false],
    [{ 'data.object.amount': { $gte: 1_000, $lt: 2_000 } }, true],
    [{ 'data.object.amount': { $gt: '1000' } }, false],
    [{ 'data.object.currency': { $in: ['usd', 'eur'] }, 'data.object.paid': true }, true],
    [{ 'data.object.currency': { $in: ['usd', 'eur'] }, 'data.object.paid': false }, false],
    [{ 'data.object.currency': { $nin: ['usd', 'gbp'] } }, true],
    [{ 'data.object.refund': null }, true],
    [{ 'data.object.dispute': { $exists: false } }, true],
    [{ toString: { $exists: true } }, false],
    [{ $or: [{ type: 'other' }, { 'data.tags': 'eu' }] }, true],
    [{ $nor: [{ type: 'other' }, { 'data.tags': 'us' }] }, true],
    [{ 'data.object.amount': { $not: { $gt: 1_000 } } }, false],
    [{ 'data.lines.sku': 'b' }, true],
    [{ 'data.lines.1.quantity': 5 }, true],
    [{ 'data.lines': { $elemMatch: { sku: 'a', quantity: { $gt: 2 } } } }, false],
    [{ 'data.lines': { $elemMatch: { sku: 'b', quantity: { $gt: 2 } } } }, true],
    [{ 'data.tags': { $all: ['eu', 'new'], $size: 2 } }, true],
    [{ 'data.lines.0': { sku: 'a', quantity: 1 } }, true],
    [{ 'data.lines.0': { sku: 'a' } }, false],
  ])('as the MongoDB query language has it: %j %s', (filter, expected) => {
    expect(problemsOfFilter(filter)).toEqual([]);
    expect(takes(filter, charge)).toBe(expected);
  });

  const customer = '9007199254740993';
  it.each([
    [`{"account":${customer}}`, `{"account":${customer}}`, true],
    [`{"account":${customer}}`, '{"account":9007199254740992}', false],
    ['{"account":9007199254740992}', `{"account":${customer}}`, false],
    [`{"account":${customer}}`, '{"account":9007199254740993.0}', true],
    [`{"account":${customer}}`, '{"account":9.007199254740993e15}', true],
    [`{"account":${customer}}`, `{"account":"${customer}"}`, false],
    ['{"n":1}', '{"n":1.0}', true],
    ['{"n":1}', '{"n":1e0}', true],
    ['{"n":1}', '{"n":1.0000000000000000001}', false],
    ['{"n":0}', '{"n":1e-400}', false],
    [`{"account":{"$ne":${customer}}}`, '{"account":9007199254740992}', true],
    [`{"account":{"$in":[7,${customer}]}}`, '{"account":9007199254740992}', false],
    [`{"account":{"$in":[7,${customer}]}}`, `{"account":[1,${customer}]}`, true],
    [`{"account":{"$nin":[${customer}]}}`, '{"account":9007199254740992}', true],
    [`{"account":{"$all":[${customer},1]}}`, `{"account":[1,${customer}]}`, true],
    [`{"account":{"$gt":9007199254740992}}`, `{"account":${customer}}`, true],
    [`{"account":{"$gte":${customer}}}`, '{"account":9007199254740992}', false],
    [`{"account":{"$lt":${customer}}}`, '{"account":[9007199254740992]}', true],
    [`{"account":{"$lte":${customer}}}`, '{"account":9007199254740994}', false],
    [`{"account":{"$gt":${customer}}}`, '{"account":"9"}', false],
    [`{"a":{"$elemMatch":{"$gt":${customer}}}}`, '{"a":[9007199254740994]}', true],
    [`{"a.0":{"id":${customer}}}`, `{"a":[{"id":${customer}}]}`, true],
    [`{"a.toString":{"$exists":true}}`, `{"a":${customer}}`, false],
    [`{"a.rawJSON":{"$exists":true}}`, `{"a":${customer}}`, false],
  ])('by exact values of numbers: %s of %s is %s', (filter, payload, expected) => {
    expect(takesBytes(parseExact(filter, 'all'), payload)).toBe(expected);
  });

  it('that is an array by any of its elements', () => {
    expect(takes({ type: 'b' }, [{ type: 'a' }, { type: 'b' }])).toBe(true);
    expect(takes({ type: 'c' }, [{ type: 'a' }, { type: 'b' }])).toBe(false);
  });

  it('never where it is no JSON, or a bare value', () => {
    for (const filter of [{ type: { $ne: 'a' } }, { type: { $exists: false } }, { type: 5 }])
      for (const payload of ['type=a', '', '5', 'null', '"text"', '{"type":', Buffer.from([0x7b, 0xff, 0x7d])])
        expect(takesBytes(filter, payload)).toBe(false);
  });

  it('whatever it is where it can’t be judged: too deep, or too many values', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(takesBytes({ type: 'a' }, deep)).toBe(true);
    expect(takes({ type: 'a' }, { list: Array.from({ length: 50_001 }, () => 0) })).toBe(true);
    expect(takes({ type: 'a' }, { list: Array.from({ length: 40_000 }, () => 0) })).toBe(false);
    expect(takes({ type: { $gt: 1 } }, { type: { constructor: { name: 5 } } })).toBe(false);
  });

  it('after one reading of it, however many filters there are', () => {
    const bytes = Buffer.from('{"type":"a"}');
    const payload = matchedPayload(bytes, json);
    expect(compileFilter({ type: 'a' })(payload).takes).toBe(true);
    bytes.fill(0);
    expect(compileFilter({ type: 'b' })(payload).takes).toBe(false);
  });
});

describe('a filter is refused', () => {
  it.each(['1.0000000000000000001', '1e400', '-9007199254740993.5'])(
    'with the number %s, which is stored otherwise',
    (number) => {
      const message = 'must have at most 15 digits, unless it is a whole number written with digits alone';
      for (const [filter, path] of [
        [`{"n":${number}}`, '/n'],
        [`{"n":{"$gt":${number}}}`, '/n/$gt'],
      ] as const)
        expect(problemsOfFilter(parseExact(filter, 'all'))).toEqual([{ path, message }]);
    },
  );

  it.each<[unknown, string, RegExp]>([
    [null, '', /must be an object/],
    [[], '', /must be an object/],
    [{}, '', /must not be empty/],
    [{ $where: 'true' }, '/$where', /not a filter operator/],
    [{ $expr: { $gt: ['$a', 1] } }, '/$expr', /not a filter operator/],
    [{ type: { $regex: '(a+)+$' } }, '/type/$regex', /not a filter operator/],
    [{ $gt: 5 }, '/$gt', /follow a path/],
    [{ data: { amount: { $gt: 5 } } }, '/data/amount/$gt', /with dots/],
    [{ type: { $eq: { $gt: 5 } } }, '/type/$eq/$gt', /with dots/],
    [{ type: { $gt: 1, b: 2 } }, '/type/b', /path among operators/],
    [{ type: { $in: 'a' } }, '/type/$in', /list/],
    [{ type: { $in: [] } }, '/type/$in', /list/],
    [{ type: { $gt: {} } }, '/type/$gt', /number or a text/],
    [{ type: { $exists: 1 } }, '/type/$exists', /true or false/],
    [{ type: { $size: 1.5 } }, '/type/$size', /whole number/],
    [{ type: { $not: 5 } }, '/type/$not', /object of operators/],
    [{ type: { $elemMatch: {} } }, '/type/$elemMatch', /must be a filter/],
    [{ $or: [] }, '/$or', /list/],
    [{ $or: [{ type: 'a' }, {}] }, '/$or/1', /must be a filter/],
    [{ 'a..b': 1 }, '/a..b', /not a path/],
    [{ 'a/b~': { $regex: 'x' } }, '/a~1b~0/$regex', /not a filter operator/],
    [{ 'a.__proto__.b': 1 }, '/a.__proto__.b', /not a path/],
    [JSON.parse('{"a":{"__proto__":1}}'), '/a/__proto__', /can’t compare/],
    [Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`a${index}`, 1])), '', /20 conditions/],
    [{ type: { $all: Array.from({ length: 21 }, (_, index) => index) } }, '', /20 conditions/],
    [{ type: 'a'.repeat(4_096) }, '', /4096 bytes/],
    [nested(12), `${'/$and/0'.repeat(10)}`, /nested deeper/],
  ])('%j', (filter, path, message) => {
    const [problem] = problemsOfFilter(filter);
    expect(problem).toEqual({ path, message: expect.stringMatching(message) as string });
    expect(() => compileFilter(filter)).toThrow(expect.objectContaining({ code: 'data_invalid' }) as Error);
  });

  it('that is too deep to be written down', () => {
    const deep = JSON.parse(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`) as unknown;
    const message = expect.stringMatching(/nested deeper/) as string;
    expect(problemsOfFilter(deep)).toEqual([{ path: `/a${'/0'.repeat(10)}`, message }]);
  });

  it('or can be used: it never throws, on no payload, and gives the same answer again', () => {
    let used = 0;
    fc.assert(
      fc.property(filters, fc.jsonValue(), (filter, payload) => {
        if (problemsOfFilter(filter).length > 0) return;
        used += 1;
        expect(takes(filter, payload)).toBe(takes(filter, payload));
      }),
      { numRuns: 2_000 },
    );
    // Fewer would make this test meaningless.
    expect(used).toBeGreaterThan(200);
  });
});

function nested(levels: number): unknown {
  return levels === 0 ? { type: 'a' } : { $and: [nested(levels - 1)] };
}

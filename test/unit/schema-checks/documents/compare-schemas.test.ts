import { compareSchemas, lackedFields } from '../../../../libs/schema-checks/documents/compare-schemas.ts';
import { nominalMs } from '../../../support/nominal-time.ts';
import { processorTimeMs } from '../../../support/processor-time.ts';

const object = (properties: object, required: string[] = []) => ({ type: 'object', properties, required });
const text = { type: 'string' };

const said = (before: object, after: object) =>
  compareSchemas(before, after).map(({ field, change, breaking }) => `${field} ${change}${breaking ? '!' : ''}`);

test.each<[string, object, object, string[]]>([
  ['a new optional field', object({ id: text }), object({ id: text, n: text }), ['n added']],
  ['a new required field', object({ id: text }), object({ id: text, n: text }, ['n']), ['n required!']],
  ['a field less, and what was in it', object({ a: object({ b: text }) }), object({}), ['a removed!']],
  ['a field in a field', object({ a: object({ b: text }) }), object({ a: object({}) }), ['a.b removed!']],
  ['a field that is required now', object({ id: text }), object({ id: text }, ['id']), ['id required!']],
  ['a field that may be missing now', object({ id: text }, ['id']), object({ id: text }), ['id optional!']],
  ['another type', object({ id: text }), object({ id: { type: 'integer' } }), ['id narrowed!']],
  ['a type more', object({ id: text }), object({ id: { type: ['string', 'null'] } }), ['id widened!']],
  ['number, not integer', object({ n: { type: 'integer' } }), object({ n: { type: 'number' } }), ['n widened!']],
  ['a value more', object({ s: { enum: ['a'] } }), object({ s: { enum: ['a', 'b'] } }), ['s widened']],
  ['a value less', object({ s: { enum: ['a', 'b'] } }), object({ s: { enum: ['a'] } }), ['s narrowed!']],
  ['another limit', object({ s: text }), object({ s: { type: 'string', maxLength: 5 } }), ['s narrowed!']],
  ['items', { items: object({ a: text }) }, { items: object({}) }, ['[].a removed!']],
  ['texts alone', object({ id: text }), object({ id: { type: 'string', description: 'Its id.' } }), []],
])('compares: %s', (_what, before, after, expected) => {
  expect(said(before, after)).toEqual(expected);
});

test('follows references, and knows the same schema in another form', () => {
  const shared = { ...object({ a: { $ref: '#/$defs/inner' } }), $defs: { inner: object({ id: text }) } };
  expect(said(object({ a: object({ id: text }) }), shared)).toEqual([]);
  expect(said({ allOf: [object({ a: text }), object({ b: text })] }, object({ a: text, b: text }))).toEqual([]);
});

test('ends with a schema that refers to itself, or goes on without end', () => {
  const loop = { $defs: { a: object({ next: { $ref: '#/$defs/a' } }) }, $ref: '#/$defs/a' };
  expect(compareSchemas(loop, { ...loop, title: 'the same' })).toEqual([]);
  const wide = Object.fromEntries(
    Array.from({ length: 12 }, (_, level) => [
      `l${level}`,
      object({ a: { $ref: `#/$defs/l${level + 1}` }, b: { $ref: `#/$defs/l${level + 1}` } }),
    ]),
  );
  const beganAtMs = processorTimeMs();
  compareSchemas({ $defs: wide, $ref: '#/$defs/l0' }, { $defs: wide, $ref: '#/$defs/l1' });
  expect(nominalMs(processorTimeMs() - beganAtMs, { limitMs: 2_000 })).toBeLessThan(2_000);
});

const numbered = (count: number) =>
  object(Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, text])));

test('says that there may be more: beyond 200 differences, and in parts that are not compared', () => {
  const many = said(object({}), numbered(201));
  expect([many.length, many.at(-1)]).toEqual([201, ' unlisted']);
  expect(said(object({}), numbered(200))).toHaveLength(200);
  const wide = numbered(20_001);
  expect(said(wide, { ...wide, title: 'the same', maxProperties: 30_000 })).toEqual([' narrowed!', ' unlisted']);
  const unlisted = 'fields beyond 20000 parts, which are not compared';
  expect(lackedFields(wide, wide)).toEqual([]);
  expect(lackedFields(wide, { ...wide, title: 'the same' })).toEqual([unlisted]);
  expect(lackedFields(object({ g: text }), wide)).toEqual([unlisted]);
  expect(lackedFields(object({ f1: text }), wide)).toEqual([]);
});

test('tells which fields another schema lacks, the outermost of them', () => {
  const one = object({ id: text, a: object({ b: text, c: text }), list: { items: object({ x: text }) } });
  expect(lackedFields(one, object({ id: text, a: object({ b: text }) }))).toEqual(['a.c', 'list']);
  expect(lackedFields(one, one)).toEqual([]);
});

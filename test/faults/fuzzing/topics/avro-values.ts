/** Values of an Avro schema, as it says or odd ones that its writer can still write. */
import fc from 'fast-check';
import { textDefects } from '../defects.ts';
import type { Draw } from '../draw.ts';

export type AvroType =
  | string
  | readonly AvroType[]
  | { type: AvroType; symbols?: readonly string[]; items?: AvroType; values?: AvroType; fields?: readonly AvroField[] };

export interface AvroField {
  name: string;
  type: AvroType;
  default?: unknown;
}

/** By the name of each type that has no parts. */
export type Leaves = Readonly<Record<string, fc.Arbitrary<unknown>>>;

const bytesOf = (maxLength: number) => fc.uint8Array({ maxLength }).map((bytes) => Buffer.from(bytes));

export const soundLeaves: Leaves = {
  null: fc.constant(null),
  boolean: fc.boolean(),
  string: fc.stringMatching(/^[!-~]{1,20}$/),
  int: fc.nat(1_000),
  long: fc.nat().map((later) => Date.now() * 1_000 + later),
  double: fc.nat(1_000_000).map((micros) => micros / 1_000),
  bytes: bytesOf(60),
};

const mebibyte = 2 ** 20;

export const oddLeaves = (draw: Draw): Leaves => ({
  null: fc.constant(null),
  boolean: fc.boolean(),
  string: fc.constantFrom(...Object.values(textDefects)).map((defect) => defect('a', draw).toWellFormed()),
  int: fc.constantFrom(-1, 0, 2 ** 31 - 1, -(2 ** 31)),
  // The Avro library writes no number beyond these.
  long: fc.constantFrom(-1, 0, 1, 2 ** 53 - 2, 253_402_300_800_000_000 / 32, -(2 ** 52)),
  double: fc.constantFrom(Number.NaN, Infinity, -Infinity, -1, 1e308),
  bytes: fc.oneof(
    bytesOf(400),
    fc.constantFrom(0, 100_000, mebibyte, mebibyte + 1).map((length) => Buffer.alloc(length, 7)),
  ),
});

/** @throws Error for a type that has no leaf */
export function avroValues(type: AvroType, leaves: Leaves): fc.Arbitrary<unknown> {
  if (typeof type === 'string') return leafOf(type, leaves);
  if (!('type' in type)) return fc.oneof(...type.map((each) => avroValues(each, leaves)));
  const { items = 'null', values = 'null', fields = [], symbols = [] } = type;
  switch (type.type) {
    case 'enum':
      return fc.constantFrom(...symbols);
    case 'array':
      return fc.array(avroValues(items, leaves), { maxLength: 3 });
    case 'map':
      return fc.dictionary(leaves.string as fc.Arbitrary<string>, avroValues(values, leaves), { maxKeys: 3 });
    case 'record':
      return fc.record(Object.fromEntries(fields.map((field) => [field.name, avroValues(field.type, leaves)])));
    default:
      return avroValues(type.type, leaves);
  }
}

function leafOf(type: string, leaves: Leaves): fc.Arbitrary<unknown> {
  const leaf = leaves[type];
  if (leaf === undefined) throw new Error(`no values for Avro's ${type}`);
  return leaf;
}

/**
 * Defects of a text, of bytes and of a JSON value, wherever they stand: in a path, a query, a header, a body, a record's key, a field. Each
 * makes its value from the sound one.
 */
import fc from 'fast-check';
import { type Draw, oneOf } from './draw.ts';

export type Defect<T, Result = T> = (sound: T, draw: Draw) => Result;
type Defects<T> = Readonly<Record<string, Defect<T>>>;

/** Makes something of each, under the same name. */
export const each = <Name extends string, T, Made>(defects: Readonly<Record<Name, T>>, make: (defect: T) => Made) =>
  Object.fromEntries(Object.entries<T>(defects).map(([name, defect]) => [name, make(defect)])) as Record<Name, Made>;

const anyText = fc.string({ unit: 'binary', maxLength: 60 });
const anyBytes = fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes));
const anyJson = fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' });

const instead =
  <T>(...values: readonly T[]): Defect<unknown, T> =>
  (_, draw) =>
    oneOf(draw, values);
export const nested = (levels: number, inner: string): string => `${'['.repeat(levels)}${inner}${']'.repeat(levels)}`;

export const words = (text: string): string[] => text.split(' ');
const lengths = [256, 300, 3_000, 9_000, 15_000, 17_000, 40_000, 100_000];
const prototypeNames = words('__proto__ constructor toString hasOwnProperty');
const unstorable = ['\0', '\ud800', '\udfff', 'a\0', '\udc00\ud800'];
const idPrefixes = words('src ep evt dlv dl rpl key');

export const textDefects: Defects<string> = {
  empty: instead('', ' '),
  NUL: (text, draw) => oneOf(draw, ['\0', `${text}\0`, 'a\0b', '%00']),
  'half a surrogate pair': (text, draw) => `${text}${oneOf(draw, ['\ud800', '\udfff', '\udc00\ud800'])}`,
  'control characters': instead('a\r\nb: c\x7f\u2028', '\u202e\u0007', '\t', 'a\x7f'),
  'other characters': instead('né 🎣 \u202e', 'Ж', '٣', '\ufeff'),
  long: (text, draw) => ''.padEnd(oneOf(draw, lengths), text || 'x'),
  'prototype name': instead(...prototypeNames, '__proto__[a]', 'constructor.prototype.a'),
  number: instead(
    '9'.repeat(400),
    ...words('-1 0 -0 0x10 1e9 1001 2147483648 8999999999999999 9007199254740993 1e400 NaN'),
  ),
  time: instead(...words('0000-01-01T00:00:00Z 9999-12-31T23:59:60Z 2026-02-30T25:61:61Z 2026-11-22 now -infinity')),
  JSON: instead(nested(5_000, ''), ...words('{} [] [1] null {"a":1} [{"pointer":1}] [{"pointer":"/a"}]')),
  path: instead(...words('. .. ../.. // ;a=b %2e%2e%2f%2e%2e % %zz %c3%28 %ed%a0%80 %f8%88%80%80%80')),
  syntax: instead('Bearer  a b', ...words('" "a "\\x" ,,, * :a: 1;a=1 ;q=, W/"1","2" wait=x Bearer Basic')),
  attack: instead(
    "'; DROP TABLE events; --",
    ...words('${jndi:ldap://127.0.0.1/} http://[::1 http://169.254.169.254/'),
  ),
  cut: (text) => text.slice(0, -2),
  'another id': (text, draw) =>
    oneOf(draw, [
      `${text.slice(0, -1)}${text.endsWith('0') ? 1 : 0}`,
      text.replace(/^[a-z]+(?=_)/, oneOf(draw, idPrefixes)),
    ]),
  'any text': (_, draw) => draw(anyText),
};

/** UTF-8; where half a surrogate pair is in it, bytes that are none. */
export const bytesOfText = (text: string): Buffer =>
  Buffer.from(Buffer.from(text).toString('latin1').replaceAll('\xef\xbf\xbd', '\xed\xa0\x80'), 'latin1');

export function bitsFlipped(bytes: Buffer, draw: Draw): Buffer {
  const flipped = Buffer.from(bytes);
  for (let times = 0; times < 3 && bytes.length > 0; times += 1)
    flipped[draw(fc.nat(bytes.length - 1))] = draw(fc.nat(255));
  return flipped;
}

export const byteDefects = {
  empty: () => Buffer.alloc(0),
  NUL: () => Buffer.from('\0'),
  'not UTF-8': () => Buffer.from('{"name":"\xff\xfe","type":"\xc3("}', 'latin1'),
  cut: (bytes, draw) => bytes.subarray(0, draw(fc.nat(Math.max(0, bytes.length - 1)))),
  longer: (bytes, draw) => Buffer.concat([bytes, Buffer.from(oneOf(draw, ['xyz', '\0']))]),
  'bits flipped': bitsFlipped,
  'any bytes': (_, draw) => draw(anyBytes),
} satisfies Defects<Buffer>;

/** Undefined: the field is missing. */
export const jsonDefects: Defects<unknown> = {
  missing: () => undefined,
  null: () => null,
  'another type': instead<unknown>(
    true,
    0,
    'a',
    [],
    {},
    [null],
    [[[]]],
    { toString: 1 },
    { $where: '1' },
    { $regex: '(a+)+$' },
  ),
  number: instead(-1, 0, 0.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308),
  text: (value, draw) => oneOf(draw, Object.values(textDefects))(typeof value === 'string' ? value : 'a', draw),
  'one more': (value, draw) =>
    Array.isArray(value)
      ? [...(value as unknown[]), draw(anyJson)]
      : { ...asObject(value), [draw(anyText)]: draw(anyJson) },
  'two thousand': (value) => Array.from({ length: 2_000 }, () => value),
  deep: (value, draw) => JSON.parse(nested(oneOf(draw, [40, 98, 120, 1_000]), JSON.stringify(value) ?? '1')) as unknown,
  'prototype name': (value, draw) => ({ ...asObject(value), [oneOf(draw, prototypeNames)]: { prototype: { a: 1 } } }),
  'any JSON': (_, draw) => draw(anyJson),
};

const asObject = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {});

/** The same with a defect in one place: in itself, or somewhere within. */
export function withDefect(value: unknown, defect: Defect<unknown>, draw: Draw): unknown {
  const entries: [string, unknown][] = Object.entries(asObject(value));
  if (entries.length === 0 || draw(fc.nat(9)) < 3) return defect(value, draw);
  const [name, inner] = oneOf(draw, entries);
  const changed = withDefect(inner, defect, draw);
  return Array.isArray(value) ? value.with(Number(name), changed) : { ...asObject(value), [name]: changed };
}

/** The same with a text that no column holds behind each text in it, names among them. */
export function unstorableWithin(value: unknown, draw: Draw, text = oneOf(draw, unstorable)): unknown {
  if (typeof value === 'string') return `${value}${text}`;
  if (Array.isArray(value)) return value.map((each) => unstorableWithin(each, draw, text));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [`${name}${text}`, unstorableWithin(inner, draw, text)]),
  );
}

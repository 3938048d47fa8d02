/** Kinds by the defects of a text, of bytes and of a field (defects.ts), in each part of a record. */
import fc from 'fast-check';
import { header, type TopicName } from '#lib/contract';
import {
  byteDefects,
  bytesOfText,
  type Defect,
  each,
  jsonDefects,
  nested,
  textDefects,
  withDefect,
} from '../../defects.ts';
import { type Draw, oneOf } from '../../draw.ts';
import { avroValues, oddLeaves } from '../avro-values.ts';
import { isAvro, schemaFieldsOf } from '../base-records.ts';
import type { Ending, Kind } from '../forged-record.ts';

const mebibyte = 2 ** 20;
const huge = (length: number, draw: Draw): Buffer => Buffer.alloc(length, oneOf(draw, ['a', '\0', 'né', '\xff']));
const anyBytes = (draw: Draw, maxLength = 400): Buffer => Buffer.from(draw(fc.uint8Array({ maxLength })));

/** The same with more headers. */
export const adding =
  (more: (draw: Draw) => readonly (readonly [string, string | Buffer])[]): Kind['forge'] =>
  ({ sound, draw }) => ({
    headers: Object.fromEntries([
      ...Object.entries(sound.headers),
      ...more(draw).map(([name, value]) => [name, Buffer.from(value as string)] as const),
    ]),
  });

/** One of its headers is another; where it has none, one that any record may have. */
const changingHeader =
  (change: (before: Buffer, draw: Draw) => Buffer | readonly Buffer[] | undefined): Kind['forge'] =>
  ({ sound, draw }) => {
    const name = oneOf(draw, [...Object.keys(sound.headers), header.origin, header.tenant]);
    const { [name]: before = Buffer.from('a'), ...others } = sound.headers;
    const value = change(before as Buffer, draw);
    return { headers: { ...others, ...(value !== undefined && { [name]: value }) } };
  };

const objectNames = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
const withObjectNames = adding(() => objectNames.map((name) => [name, 'a'] as const));

const headerKinds: Record<string, Kind['forge']> = {
  ...each(textDefects, (defect) => changingHeader((before, draw) => bytesOfText(defect(before.toString(), draw)))),
  missing: changingHeader(() => undefined),
  'any bytes': changingHeader((_, draw) => anyBytes(draw)),
  '1.5 MiB': changingHeader((_, draw) => huge(1.5 * mebibyte, draw)),
  twice: changingHeader((before) => [Buffer.from('first'), before]),
  'twice, then wrong': changingHeader((before, draw) => [before, anyBytes(draw, 40)]),
};

/** None of this matters to anybody. */
const harmless: Record<string, Kind['forge']> = {
  'headers: nobody knows them': adding((draw) => [
    ['', 'a'],
    ['x\0', 'b'],
    [draw(fc.string({ unit: 'grapheme' })), anyBytes(draw)],
  ]),
  'headers: prototype names': withObjectNames,
  'headers: two thousand': adding(() => Array.from({ length: 2_000 }, (_, n) => [`x-${n}`, 'a'] as const)),
  'headers: an origin of its own': adding((draw) => [[header.origin, `other-0-${draw(fc.nat())}`]]),
  'key: null': () => ({ key: null }),
  'key: empty': () => ({ key: Buffer.alloc(0) }),
  'key: any bytes': ({ draw }) => ({ key: Buffer.concat([Buffer.from('\0a\xff\xc3(', 'latin1'), anyBytes(draw)]) }),
  'key: 900 kB': ({ draw }) => ({ key: huge(900_000, draw) }),
  'time: 1970': () => ({ timestampMs: 1 }),
};

export const changingValue =
  (change: (before: Buffer, draw: Draw) => Buffer): Kind['forge'] =>
  ({ sound, draw }) => ({ value: change(sound.value ?? Buffer.alloc(0), draw) });

/** Whether they matter depends on the bytes. */
const valueKinds: Record<string, Kind['forge']> = {
  ...each(byteDefects, changingValue),
  '1 MiB': changingValue((_, draw) => huge(mebibyte, draw)),
  'nearly 2 MiB': changingValue((_, draw) => huge(2 * mebibyte - 2_000, draw)),
};

const anyJsonDefect: Defect<unknown> = (value, draw) => oneOf(draw, Object.values(jsonDefects))(value, draw);

/** No value of any form; where a value has none, it is what somebody sent. */
const formless: Record<string, Kind['forge']> = {
  null: () => ({ value: null }),
  // A dead letter has them as they are.
  'null, with headers of prototype names': (material) => ({ ...withObjectNames(material), value: null }),
  none: () => ({ value: Buffer.alloc(0) }),
  'a NUL': () => ({ value: Buffer.from('\0') }),
  'nested deep': () => ({ value: Buffer.from(nested(300_000, '')) }),
};

/** One field has a value that no service writes, though the schema may take it. */
const oddField: Kind['forge'] = ({ topic, base, draw }) => {
  const fields = base.fieldsOf(topic, draw) ?? {};
  if (!isAvro(topic)) return { value: base.encode(topic, withDefect(fields, anyJsonDefect, draw) as typeof fields) };
  const field = oneOf(draw, schemaFieldsOf(topic));
  return { value: base.encode(topic, { ...fields, [field.name]: draw(avroValues(field.type, oddLeaves(draw))) }) };
};

export const kindsOf = (part: string, ending: Ending, forges: Record<string, Kind['forge']>): Kind[] =>
  Object.entries(forges).map(([name, forge]) => ({ kind: `${part}${name}`, ending, forge }));

export function kindsByPart(topic: TopicName): Kind[] {
  const hasForm = isAvro(topic) || topic === 'duplicates';
  const oddFields = { 'odd (1)': oddField, 'odd (2)': oddField, 'odd (3)': oddField };
  return [
    ...kindsOf('header: ', 'either', headerKinds),
    ...kindsOf('', 'processed', harmless),
    ...kindsOf('value: ', 'either', valueKinds),
    ...kindsOf('value: ', hasForm ? 'letter' : 'either', formless),
    ...(hasForm ? kindsOf('field: ', 'either', oddFields) : []),
  ];
}

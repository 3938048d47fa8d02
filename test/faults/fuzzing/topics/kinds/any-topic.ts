import { header } from '#lib/contract';
import { adding, flipped, hugeOf, type Kind, mebibyte, notUtf8, text, withHeader, withKey, withValue } from './kind.ts';

const withObjectsNames = adding(() =>
  ['__proto__', 'constructor', 'toString', 'hasOwnProperty'].map((name) => [name, text('a')] as const),
);

/** Kinds that make sense on any topic. */
export const anyTopic: readonly Kind[] = [
  { kind: 'header missing', ending: 'either', forge: withHeader(() => undefined) },
  { kind: 'header empty', ending: 'either', forge: withHeader(() => Buffer.alloc(0)) },
  { kind: 'header NUL', ending: 'either', forge: withHeader((before) => Buffer.concat([before, text('\0')])) },
  { kind: 'header NUL alone', ending: 'either', forge: withHeader(() => text('\0')) },
  { kind: 'header not UTF-8', ending: 'either', forge: withHeader(() => notUtf8) },
  { kind: 'header control characters', ending: 'either', forge: withHeader(() => text('a\r\nb: c\x7f\u2028')) },
  { kind: 'header other characters', ending: 'either', forge: withHeader(() => text('né 🎣 \u202e')) },
  {
    kind: 'header number',
    ending: 'either',
    forge: withHeader((_, pools) =>
      text(pools.pick(['-1', '0', '2147483648', '8999999999999999', '1e9', '9'.repeat(400)])),
    ),
  },
  {
    kind: 'header JSON',
    ending: 'either',
    forge: withHeader((_, pools) =>
      text(
        pools.pick([
          '{}',
          '[]',
          '[1]',
          'null',
          '{"a":1}',
          '[{"pointer":1}]',
          '[{"pointer":"/a"}]',
          `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
        ]),
      ),
    ),
  },
  { kind: 'header 3 kB', ending: 'either', forge: withHeader((_, pools) => hugeOf(pools, 3_000)) },
  { kind: 'header 100 kB', ending: 'either', forge: withHeader((_, pools) => hugeOf(pools, 100_000)) },
  { kind: 'header 1.5 MiB', ending: 'either', forge: withHeader((_, pools) => hugeOf(pools, 1.5 * mebibyte)) },
  { kind: 'header twice', ending: 'either', forge: withHeader((before) => [text('first'), before]) },
  {
    kind: 'header twice, then wrong',
    ending: 'either',
    forge: withHeader((before, pools) => [before, pools.bytes(40)]),
  },
  { kind: 'header of bytes', ending: 'either', forge: withHeader((_, pools) => pools.bytes()) },
  {
    kind: 'headers that nobody knows',
    ending: 'processed',
    forge: adding((pools) => [
      ['', text('a')],
      ['x\0', text('b')],
      [pools.text().toWellFormed(), notUtf8],
    ]),
  },
  {
    kind: 'headers named as what every object has',
    ending: 'processed',
    forge: withObjectsNames,
  },
  {
    kind: 'two thousand headers',
    ending: 'processed',
    forge: adding(() => Array.from({ length: 2_000 }, (_, i) => [`x-${i}`, text('a')] as const)),
  },
  {
    kind: 'origin of its own',
    ending: 'processed',
    forge: adding((pools) => [[header.origin, text(`other-0-${pools.random()}`)]]),
  },
  { kind: 'key null', ending: 'processed', forge: withKey(() => null) },
  { kind: 'key empty', ending: 'processed', forge: withKey(() => Buffer.alloc(0)) },
  {
    kind: 'key of bytes',
    ending: 'processed',
    forge: withKey((pools) => Buffer.concat([text('\0'), notUtf8, pools.bytes()])),
  },
  { kind: 'key 900 kB', ending: 'processed', forge: withKey((pools) => hugeOf(pools, 900_000)) },
  { kind: 'value of bytes', ending: 'either', forge: withValue((_, pools) => pools.bytes()) },
  {
    kind: 'value cut',
    ending: 'either',
    forge: withValue((before, pools) => before.subarray(0, pools.below(before.length || 1))),
  },
  { kind: 'value with bits flipped', ending: 'either', forge: withValue((before, pools) => flipped(before, pools)) },
  { kind: 'value longer', ending: 'either', forge: withValue((before) => Buffer.concat([before, text('xyz')])) },
  { kind: 'value 1 MiB', ending: 'either', forge: withValue((_, pools) => hugeOf(pools, mebibyte)) },
  { kind: 'value nearly 2 MiB', ending: 'either', forge: withValue((_, pools) => hugeOf(pools, 2 * mebibyte - 2_000)) },
  {
    kind: 'time of 1970',
    ending: 'processed',
    forge: (topic, { base }) => ({ ...base.of(topic), timestampMs: 1 }),
  },
];

/** Kinds for topics whose values have a form. */
export const formed: readonly Kind[] = [
  { kind: 'value null', ending: 'letter', forge: withValue(() => null) },
  {
    // A dead letter has them as they are.
    kind: 'value null, headers named as what every object has',
    ending: 'letter',
    forge: (topic, given) => ({ ...withObjectsNames(topic, given), value: null }),
  },
  { kind: 'value empty', ending: 'letter', forge: withValue(() => Buffer.alloc(0)) },
  { kind: 'value NUL', ending: 'letter', forge: withValue(() => text('\0')) },
];

/** To whom none of it matters: the value is what somebody sent. */
export const formless: readonly Kind[] = formed.map(({ kind, forge }) => ({ kind, ending: 'either', forge }));

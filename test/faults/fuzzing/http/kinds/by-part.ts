/** Kinds by the defects of a text, of bytes and of JSON (defects.ts), in each part of a request where one can stand. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import {
  byteDefects,
  type Defect,
  each,
  jsonDefects,
  nested,
  textDefects,
  unstorableWithin,
  withDefect,
} from '../../defects.ts';
import { type Draw, oneOf } from '../../draw.ts';
import type { FuzzedRoute } from '../routes.ts';
import {
  addHeaders,
  anyDefect,
  inHeader,
  latin1,
  type Mutate,
  type SoundRequest,
  withBody,
  withHeaders,
  withJson,
  withQuery,
} from '../sound-request.ts';
import type { SoundRequests } from '../sound-requests.ts';
import { type Kind, kindsOf } from './kind.ts';

/** Headers that mean something to a route, besides those of its document. */
const usualHeaders = ['authorization', 'content-type', 'hookline-tenant', 'idempotency-key', 'x-idempotency-key']
  .concat(['accept', 'if-match', 'if-none-match', 'prefer'])
  .map((name) => [name, 'a'] as const);

/** As it is, or each byte in percent. */
const inTarget = (text: string, draw: Draw): string =>
  draw(fc.boolean())
    ? inHeader(text).replace(/[ ?#]/g, '_')
    : latin1(text).replace(/[^\w.~-]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`);

const anyHeader = ({ headers }: SoundRequest, draw: Draw): readonly [string, string] =>
  oneOf(draw, [...headers.filter(([name]) => name !== 'connection'), ...usualHeaders]);
const anyQuery = ({ parameters }: SoundRequest, draw: Draw): string =>
  oneOf(draw, [...Object.keys(parameters), 'limit', 'a']);

const changingPath =
  (defect: Defect<string>): Mutate =>
  (sound, draw) => {
    const text = inTarget(defect(sound.id ?? 'src_1', draw), draw);
    const { id, target } = sound;
    return { ...sound, target: id === undefined ? `${target}/${text}` : target.replace(id, () => text) };
  };

const changingQuery =
  (defect: Defect<string>): Mutate =>
  (sound, draw) => {
    const name = anyQuery(sound, draw);
    const pair = `${name}=${inTarget(defect(sound.parameters[name] ?? '1', draw), draw)}`;
    const before = new RegExp(`(?<=[?&])${name}=[^&]*`);
    if (!before.test(sound.target)) return withQuery(sound, pair);
    return { ...sound, target: sound.target.replace(before, () => pair) };
  };

const changingHeader =
  (defect: Defect<string>): Mutate =>
  (sound, draw) => {
    const [name, text] = anyHeader(sound, draw);
    return withHeaders(sound, [name, inHeader(defect(text, draw))]);
  };

const many = (length: number) => Array.from({ length }, (_, n) => [`x-${n}`, '1'] as const);
const framing = [['content-length', '3'] as const, ['connection', 'close'] as const];
const lessHeaders: Record<string, Mutate> = {
  missing(sound, draw) {
    const missing = oneOf(draw, sound.headers);
    return { ...sound, headers: sound.headers.filter((each) => each !== missing) };
  },
  twice(sound, draw) {
    const [name, text] = oneOf(draw, [anyHeader(sound, draw), ...framing]);
    return addHeaders(sound, [name, inHeader(anyDefect(text, draw))], [name, oneOf(draw, [text, `"${text}"`])]);
  },
};

const bodyOf = ({ body }: SoundRequest): Buffer => body ?? Buffer.from('{}');
const textOf = ({ json }: SoundRequest): string => JSON.stringify(json ?? {});
const hugeNumber = (draw: Draw): string => oneOf(draw, ['1e400', '-0', '0.1e-999', '9'.repeat(5_000)]);

/** For a GET too, which has no body. */
const bodies: Record<string, Mutate> = {
  ...each(
    byteDefects,
    (defect): Mutate =>
      (sound, draw) =>
        withBody(sound, defect(bodyOf(sound), draw)),
  ),
  'nested deep': (sound, draw) => withBody(sound, nested(oneOf(draw, [99, 101, 1_000, 20_000]), '')),
  large: (sound, draw) => withBody(sound, Buffer.alloc(2 ** 20 + oneOf(draw, [-1, 0, 1, 20_000, 2 ** 20]), '"')),
  'byte order mark': (sound) => withBody(sound, `\ufeff${textOf(sound)}`),
  'UTF-16': (sound) => withBody(sound, Buffer.from(textOf(sound), 'utf16le')),
  'a name twice': (sound) => withBody(sound, `{"type":"a","type":"b",${textOf(sound).slice(1)}`),
  'huge number': (sound, draw) => withBody(sound, textOf(sound).replace(/\d+/, hugeNumber(draw))),
};

export function kindsByPart({ fieldOf }: Pick<SoundRequests, 'fieldOf'>): Kind[] {
  const takesBody = {
    code: 'validation_failed',
    on: ({ service, body }: FuzzedRoute) => service === 'api' && !!body,
  } as const;
  const changingJson =
    (defect: Defect<unknown>): Mutate =>
    (sound, draw) => {
      const field = draw(fc.nat(3)) === 0 ? undefined : fieldOf(sound.route, draw);
      if (field === undefined) return withJson(sound, withDefect(sound.json ?? {}, defect, draw));
      return withJson(sound, { ...(sound.json as object), [field[0]]: withDefect(field[1], defect, draw) });
    };
  const unstorable: Mutate = (sound, draw) => {
    // The payload of an event may be any JSON.
    const [name, value] = fieldOf(sound.route, draw, (field) => field !== 'payload') ?? ['a', 1];
    const spoilt = unstorableWithin(value, draw);
    const field = isDeepStrictEqual(spoilt, value) ? { 'a\0': 1 } : { [name]: spoilt };
    const headers = sound.headers.filter(([header]) => !['Idempotency-Key', 'If-Match'].includes(header));
    return withJson({ ...sound, headers }, { ...(sound.json as object), ...field });
  };
  return [
    ...kindsOf('path', each(textDefects, changingPath), { isOther: true }),
    ...kindsOf('query', each(textDefects, changingQuery)),
    ...kindsOf('query', {
      name: (sound, draw) => withQuery(sound, `${inTarget(anyDefect('a', draw), draw)}=1`),
      twice: (sound, draw) => withQuery(sound, `${anyQuery(sound, draw)}=1&`.repeat(2)),
      brackets: (sound, draw) => withQuery(sound, `${anyQuery(sound, draw)}[b][]=1`),
    }),
    ...kindsOf('header', each(textDefects, changingHeader), { isOther: true }),
    ...kindsOf('header', lessHeaders, { isOther: true, isCut: true }),
    ...kindsOf(
      'header',
      {
        name: (sound, draw) => addHeaders(sound, [inHeader(anyDefect('x', draw)), '1']),
        many: (sound, draw) => addHeaders(sound, ...many(oneOf(draw, [90, 900, 2_500]))),
      },
      { isOther: true },
    ),
    ...kindsOf('body', each(jsonDefects, changingJson)),
    ...kindsOf('body', bodies),
    ...kindsOf('body', { 'text that no column holds': unstorable }, { code: takesBody }),
  ];
}

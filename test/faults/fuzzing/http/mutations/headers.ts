/** Headers, framing and methods. */
import { gzipSync } from 'node:zlib';
import type { Pools } from '../../pools.ts';
import { signatureSchemes } from '#lib/signatures';
import type { RawRequest } from '../raw-request.ts';
import { type Mutation, type SoundRequest, withBody, withBoth, withHeaders, withoutEnds } from './mutation.ts';

const headerNames = [
  'authorization',
  'content-type',
  'hookline-tenant',
  'accept',
  'if-match',
  'if-none-match',
  'prefer',
];
const signatureHeaders = new Set(
  Object.values(signatureSchemes).flatMap(({ signatureHeader }) => [signatureHeader, 'svix-signature']),
);

/** A body that is framed by chunks, and by this. */
const chunkedBy = (sound: SoundRequest, ...codings: string[]): RawRequest => {
  const body = sound.body ?? Buffer.from('{}');
  const chunks = [`${body.length.toString(16)}\r\n`, body, body.length === 0 ? '\r\n' : '\r\n0\r\n\r\n'];
  return withBoth(
    withBody(sound, Buffer.concat(chunks.map((part) => Buffer.from(part as string)))),
    ...codings.map((coding): [string, string] => ['transfer-encoding', coding]),
  );
};

const odd = (pools: Pools): string =>
  pools.pick([
    '',
    '"',
    ',,,',
    '*',
    'Bearer',
    'Bearer  a b',
    'Basic YTpi',
    'wait=x',
    'W/"1", "2"',
    '__proto__',
    ';q=,',
    withoutEnds(pools.text()).replace(/\0/g, ''),
  ]);

export const headerMutations: Readonly<Record<string, Mutation>> = {
  'header missing': (sound, pools) => {
    const [name] = pools.pick(sound.headers);
    return { ...sound, headers: sound.headers.filter((header) => header[0] !== name) };
  },
  'header odd': (sound, pools) => withHeaders(sound, [pools.pick(headerNames), odd(pools)]),
  'header repeated': (sound, pools) => {
    const name = pools.pick([...headerNames, 'host', 'content-length', 'connection']);
    return withBoth(sound, [name, odd(pools)], [name, odd(pools)]);
  },
  'header huge': (sound, pools) =>
    withHeaders(sound, [pools.pick(headerNames), 'a'.repeat(pools.pick([9_000, 15_000, 40_000]))]),
  'headers many': (sound, pools) =>
    withBoth(
      sound,
      ...Array.from({ length: pools.pick([90, 900, 2_500]) }, (_, i): [string, string] => [`x-${i}`, '1']),
    ),
  'header NUL': (sound, pools) => withHeaders(sound, [pools.pick(headerNames), 'a\0b']),
  'header name': (sound, pools) =>
    withBoth(sound, [pools.pick(['x y', 'x\x01', '', 'Ж', '__proto__', 'constructor']), '1']),
  'header folded': (sound) => withBoth(sound, ['x-folded', 'a\r\n b']),
  'content type': (sound, pools) =>
    withHeaders(sound, [
      'content-type',
      pools.pick([
        'text/plain',
        'application/json; charset=utf-16',
        'multipart/form-data',
        '/',
        'a/b;;',
        'application/xml',
        'application/json, text/html',
      ]),
    ]),
  'content type long': (sound, pools) =>
    withHeaders(sound, ['content-type', pools.pick(['\xff', 'é', 'a']).repeat(12_000)]),
  'signature empty': (sound) => {
    const names = new Set(sound.headers.map(([name]) => name).filter((name) => signatureHeaders.has(name)));
    const empty = [...names].map((name): [string, string] => [name, '']);
    return withHeaders(sound, ['content-type', 'application/json'], ...empty);
  },
  'framing two hosts': (sound, pools) =>
    withBoth(sound, [pools.pick(['Host', 'host', 'HOST']), pools.pick(['a', '', 'b:1'])]),
  'framing codings': (sound, pools) =>
    chunkedBy(sound, ...pools.pick([['gzip, chunked'], ['gzip', 'chunked'], [',chunked'], ['identity, Chunked']])),
  'content encoding': (sound, pools) =>
    withHeaders(
      // A megabyte of blanks is a kilobyte.
      withBody(sound, gzipSync(pools.pick([sound.body ?? Buffer.alloc(0), Buffer.alloc(4_000_000, ' ')]))),
      ['content-encoding', pools.pick(['gzip', 'br', 'deflate', 'identity', 'x, y'])],
    ),
  'content length': (sound, pools) =>
    withHeaders(sound, [
      'content-length',
      pools.pick(['-1', '1e3', '0x5', '5, 6', '99999999999999999999', ' ', '+3', '0']),
    ]),
  'content lengths two': (sound) => withBoth(sound, ['content-length', '3'], ['content-length', '4']),
  'length and chunked': (sound) => withBoth(sound, ['content-length', '3'], ['transfer-encoding', 'chunked']),
  'transfer encoding': (sound, pools) =>
    withHeaders(sound, [
      'transfer-encoding',
      pools.pick(['gzip', 'chunked, chunked', 'gzip, chunked', 'xchunked', 'identity']),
    ]),
  'chunks broken': (sound, pools) =>
    withHeaders(
      withBody(
        sound,
        pools.pick([
          'zz\r\nabc\r\n0\r\n\r\n',
          '3\r\nabcdef\r\n0\r\n\r\n',
          'ffffffffffffffffff\r\n',
          '3\r\nabc',
          '-1\r\n\r\n',
        ]),
      ),
      ['transfer-encoding', 'chunked'],
    ),
  chunked: (sound) => {
    const body = sound.body ?? Buffer.alloc(0);
    const chunks = [...body].map((byte) => `1\r\n${String.fromCharCode(byte)}\r\n`).slice(0, 2_000);
    const text = body.length > 2_000 ? '' : `${chunks.join('')}0\r\n\r\n`;
    return withHeaders({ ...sound, body: Buffer.from(text || '0\r\n\r\n', 'latin1') }, [
      'transfer-encoding',
      'chunked',
    ]);
  },
  expect: (sound, pools) => withHeaders(sound, ['expect', pools.pick(['100-continue', '200-ok', ''])]),
  upgrade: (sound, pools) =>
    withHeaders(sound, ['connection', 'upgrade'], ['upgrade', pools.pick(['websocket', 'h2c', 'TLS/1.0'])]),
  'method other': (sound, pools) => ({
    ...sound,
    method: pools.pick([
      'GET',
      'PUT',
      'PATCH',
      'DELETE',
      'OPTIONS',
      'TRACE',
      'PURGE',
      'PROPFIND',
      'POST',
      'get',
      'FOO',
    ]),
  }),
};

/** What is made of a sound request: each kind by its name, which says of which part it is. */
import { gzipSync } from 'node:zlib';
import { nested, type Pools } from '../pools.ts';
import type { RawRequest } from './raw-request.ts';
import type { FuzzedRoute } from './routes.ts';
import { mutated } from './schema-values.ts';

export interface SoundRequest extends RawRequest {
  route: FuzzedRoute;
  /** Of the path's parameters. */
  ids: readonly string[];
  /** Before it is text. */
  json: unknown;
  /** One that was given out for this route, if there is one. */
  cursor: string | undefined;
}

type Mutation = (sound: SoundRequest, pools: Pools) => RawRequest;

const latin1 = (text: string): string => Buffer.from(text).toString('latin1');
/** What can stand in a request line or a header without ending it. */
const withoutEnds = (text: string): string => latin1(text).replace(/[\r\n]/g, '');

const withHeaders = (sound: RawRequest, ...more: [string, string][]): RawRequest => {
  const names = new Set(more.map(([name]) => name.toLowerCase()));
  return { ...sound, headers: [...sound.headers.filter(([name]) => !names.has(name.toLowerCase())), ...more] };
};
const withBoth = (sound: RawRequest, ...more: [string, string][]): RawRequest => ({
  ...sound,
  headers: [...sound.headers, ...more],
});
const withQuery = (sound: RawRequest, query: string): RawRequest => ({
  ...sound,
  target: `${sound.target}${sound.target.includes('?') ? '&' : '?'}${query}`,
});
const withBody = (sound: RawRequest, body: Buffer | string): RawRequest => ({ ...sound, body: Buffer.from(body) });
const withJson = (sound: RawRequest, value: unknown): RawRequest => withBody(sound, JSON.stringify(value) ?? 'null');

const withId =
  (idOf: (pools: Pools, id: string) => string): Mutation =>
  (sound, pools) => {
    const id = sound.ids.at(-1);
    if (id === undefined) return { ...sound, target: `${sound.target}/${idOf(pools, 'src_1')}` };
    return { ...sound, target: sound.target.replace(id, () => idOf(pools, id)) };
  };

const flipped = (bytes: Buffer, pools: Pools): Buffer => {
  const result = Buffer.from(bytes);
  for (let times = 0; times < 3 && result.length > 0; times += 1) result[pools.below(result.length)] = pools.below(256);
  return result;
};

const pathMutations: Readonly<Record<string, Mutation>> = {
  'path text': withId((pools) => encodeURIComponent(pools.text().toWellFormed())),
  'path bytes': withId((pools) => withoutEnds(pools.text()).replace(/[ /?#]/g, '_')),
  'path NUL': withId((_pools, id) => `${id}%00`),
  'path bad percent': withId(
    (pools, id) => `${id}${pools.pick(['%', '%zz', '%c3%28', '%ed%a0%80', '%f8%88%80%80%80'])}`,
  ),
  'path long': withId((pools) => 'a'.repeat(pools.pick([300, 8_000, 16_000, 17_000, 80_000]))),
  'path prototype': withId((pools) => pools.pick(['__proto__', 'constructor', 'hasOwnProperty', 'toString'])),
  'path dots': withId((pools) => pools.pick(['..', '../..', '%2e%2e%2f%2e%2e', '.', '//', ';a=b'])),
  'path nobody': withId((_pools, id) => `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`),
  'path other kind': withId((pools, id) =>
    id.replace(/^[a-z]+/, pools.pick(['src', 'ep', 'evt', 'dlv', 'dl', 'rpl', 'key'])),
  ),
  'path absolute': (sound) => ({ ...sound, target: `http://other.invalid${sound.target}` }),
};

const queryMutations: Readonly<Record<string, Mutation>> = {
  'query unknown': (sound, pools) => withQuery(sound, `${encodeURIComponent(pools.text().toWellFormed())}=1`),
  'query repeated': (sound, pools) => {
    const name = pools.pick([...sound.route.query, 'limit']);
    return withQuery(sound, `${name}=1&${name}=2`);
  },
  'query huge': (sound, pools) => withQuery(sound, `${pools.pick([...sound.route.query, 'a'])}=${'9'.repeat(12_000)}`),
  'query NUL': (sound, pools) => withQuery(sound, `${pools.pick([...sound.route.query, 'a'])}=%00`),
  'query bad UTF-8': (sound, pools) => withQuery(sound, `${pools.pick([...sound.route.query, 'a'])}=%ff%c3%28`),
  'query prototype': (sound, pools) =>
    withQuery(sound, pools.pick(['__proto__=1', '__proto__[a]=1', 'constructor.prototype.a=1', 'toString=1'])),
  'query brackets': (sound, pools) => withQuery(sound, `${pools.pick([...sound.route.query, 'a'])}[b][]=1`),
  'query value': (sound, pools) => {
    const name = pools.pick([...sound.route.query, 'limit']);
    // A wait that is one would be waited for.
    const value = name === 'wait' ? pools.pick(['-1', '61', '0', 'x', '1e1', '٣']) : pools.text().toWellFormed();
    return withQuery(sound, `${name}=${encodeURIComponent(value)}`);
  },
  'query number': (sound, pools) =>
    withQuery(sound, `limit=${pools.pick(['0', '-1', '1', '1001', '1e3', '0x10', '9007199254740993', '١٠', ''])}`),
  'query time': (sound, pools) => {
    const time = pools.pick(['0000-01-01T00:00:00Z', '9999-12-31T23:59:60Z', '2026-11-22', 'now', '-infinity', '1e9']);
    return withQuery(sound, `${pools.pick(['updated_at_gte', 'since', 'until'])}=${time}`);
  },
  'query cursor': (sound, pools) => {
    const given = sound.cursor ?? 'AAAAAAAAAAAAAAAAAAAAAA';
    const forged = [
      flipped(Buffer.from(given), pools).toString('latin1'),
      given.slice(0, -2),
      `${given}A`,
      pools.text(),
    ];
    return withQuery(sound, `cursor=${encodeURIComponent(pools.pick(forged).toWellFormed())}`);
  },
};

const headerNames = [
  'authorization',
  'content-type',
  'hookline-tenant',
  'accept',
  'if-match',
  'if-none-match',
  'prefer',
];
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

const headerMutations: Readonly<Record<string, Mutation>> = {
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

const bodyMutations: Readonly<Record<string, Mutation>> = {
  'body field': (sound, pools) => withJson(sound, mutated(sound.json, sound.route.body?.schema ?? {}, pools)),
  'body fields': (sound, pools) => {
    const schema = sound.route.body?.schema ?? {};
    return withJson(sound, mutated(mutated(sound.json, schema, pools), schema, pools));
  },
  'body type': (sound, pools) => withJson(sound, pools.oddValue()),
  'body deep': (sound, pools) => {
    const levels = pools.pick([99, 101, 1_000, 20_000]);
    return withBody(sound, `${'['.repeat(levels)}${']'.repeat(levels)}`);
  },
  'body field deep': (sound, pools) => {
    const names = Object.keys(sound.route.body?.schema.properties ?? { a: {} });
    const value = { ...(sound.json as object), [pools.pick(names)]: nested(pools.pick([40, 98, 120, 1_000]), {}) };
    return withJson(sound, value);
  },
  'body broken': (sound, pools) =>
    withBody(sound, (sound.body ?? Buffer.from('{')).subarray(0, pools.below((sound.body?.length ?? 1) || 1))),
  'body bits': (sound, pools) => withBody(sound, flipped(sound.body ?? Buffer.from('{}'), pools)),
  'body empty': (sound) => withBody(sound, ''),
  'body bytes': (sound, pools) => withBody(sound, pools.bytes()),
  'body large': (sound, pools) => withBody(sound, Buffer.alloc(2 ** 20 + pools.pick([-1, 0, 1, 20_000, 2 ** 20]), '"')),
  'body order mark': (sound) =>
    withBody(sound, Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), sound.body ?? Buffer.from('{}')])),
  'body UTF-16': (sound) => withBody(sound, Buffer.from(JSON.stringify(sound.json ?? {}), 'utf16le')),
  'body bad UTF-8': (sound) => withBody(sound, Buffer.from('{"name":"\xff\xfe","type":"\xc3("}', 'latin1')),
  'body prototype': (sound, pools) =>
    withBody(
      sound,
      pools.pick(['{"__proto__":{"a":1}}', '{"constructor":{"prototype":{"a":1}}}', '{"name":"a","__proto__":null}']),
    ),
  'body twice': (sound) => withBody(sound, `{"type":"a","type":"b",${JSON.stringify(sound.json ?? {}).slice(1)}`),
  'body number': (sound, pools) =>
    withBody(
      sound,
      JSON.stringify(sound.json ?? {}).replace(/\d+/, () => pools.pick(['1e400', '-0', '0.1e-999', '9'.repeat(5_000)])),
    ),
};

const keyMutations: Readonly<Record<string, Mutation>> = {
  'key odd': (sound, pools) =>
    withHeaders(sound, [
      'idempotency-key',
      pools.pick([
        '',
        ' ',
        '"',
        '"a',
        '"\\x"',
        'a'.repeat(255),
        'a'.repeat(256),
        'é\xff',
        'a\tb',
        'a\x7f',
        ':a:',
        '1;a=1',
      ]),
    ]),
  'key two': (sound) => withBoth(sound, ['idempotency-key', 'a'], ['x-idempotency-key', 'b']),
  'key twice': (sound) => withBoth(sound, ['idempotency-key', 'a'], ['idempotency-key', '"a"']),
  'key of another': (sound, pools) =>
    withHeaders(withJson(sound, mutated(sound.json, {}, pools)), ['idempotency-key', 'the-same']),
  key: (sound, pools) => withHeaders(sound, ['idempotency-key', `k-${pools.random()}`]),
};

/** By the part of the request: those that a route may have. */
export function mutationsOf({ service, method }: FuzzedRoute): Readonly<Record<string, Mutation>> {
  return {
    sound: (sound) => sound,
    ...pathMutations,
    ...queryMutations,
    ...headerMutations,
    // Of a GET too, which has none.
    ...bodyMutations,
    ...(service === 'api' && method === 'POST' && keyMutations),
  };
}

/** Requests on one connection, none of which waits for the answer to the one before. */
const pipelined = 20;

/** How many requests these bytes may be. */
export const requestsIn = (kind: string): number => (kind === 'garbage: pipelined' ? pipelined : 1);

/** Bytes that are no request, or more than one, or less. */
export function garbage(sound: Buffer, pools: Pools): { kind: string; bytes: Buffer } {
  const text = sound.toString('latin1');
  const of = (kind: string, bytes: Buffer | string) => ({ kind, bytes: Buffer.from(bytes as string, 'latin1') });
  switch (pools.below(10)) {
    case 0:
      return of('garbage: bytes', pools.bytes());
    case 1:
      return of('garbage: half', sound.subarray(0, pools.below(sound.length)));
    case 2:
      return of('garbage: pipelined', text.replace(/connection: close\r\n/, '').repeat(pipelined));
    case 3:
      return of(
        'garbage: version',
        text.replace('HTTP/1.1', pools.pick(['HTTP/2.0', 'HTTP/1.9', 'HTTP/0.9', 'HTPP/1.1'])),
      );
    case 4:
      return of('garbage: TLS', Buffer.from('16030100c8010000c40303', 'hex'));
    case 5:
      return of('garbage: no end', text.replace(/\r\n\r\n[\s\S]*/, '\r\n'));
    case 6:
      return of('garbage: line feeds', text.replaceAll('\r\n', '\n'));
    case 7:
      return of('garbage: request line', `${'A'.repeat(pools.pick([100, 70_000]))} / HTTP/1.1\r\n\r\n`);
    case 8:
      return of('garbage: HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    default:
      return of('garbage: bits', flipped(sound, pools));
  }
}

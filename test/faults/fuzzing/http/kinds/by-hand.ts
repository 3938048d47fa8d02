/** Kinds that no schema tells of: framing, encodings, signatures, and bytes that are no request, or more than one. */
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { signatureSchemes } from '#lib/signatures';
import { bitsFlipped, type Defect, each } from '../../defects.ts';
import { oneOf } from '../../draw.ts';
import { bytesOf, type RawRequest } from '../raw-request.ts';
import type { FuzzedRoute } from '../routes.ts';
import { addHeaders, type Mutate, type SoundRequest, withBody, withHeaders } from '../sound-request.ts';
import { type Kind, kindsOf } from './kind.ts';

const isServed = ({ service }: FuzzedRoute): boolean => service !== 'admin';
const isWebhook = ({ service, method }: FuzzedRoute): boolean => service === 'ingress' && method === 'POST';

/** The body in chunks of so many bytes. */
function chunked(sound: SoundRequest, bytesEach: number, ...codings: string[]): RawRequest {
  const body = sound.body?.toString('latin1') ?? '{}';
  const chunks = body.match(new RegExp(`[^]{1,${bytesEach}}`, 'g')) ?? [];
  const text = [...chunks, ''].map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('');
  const framing = codings.map((coding) => ['transfer-encoding', coding] as const);
  return addHeaders(withBody(sound, Buffer.from(text, 'latin1')), ...framing);
}

/** A header has one of these values. */
const oneOfThese =
  (name: string, values: readonly string[]): Mutate =>
  (sound, draw) =>
    withHeaders(sound, [name, oneOf(draw, values)]);

const brokenChunks = [
  'zz\r\nabc\r\n0\r\n\r\n',
  '3\r\nabcdef\r\n0\r\n\r\n',
  `${'f'.repeat(18)}\r\n`,
  '3\r\nabc',
  '-1\r\n\r\n',
];
const contentTypes = ['text/plain', 'application/json; charset=utf-16', 'multipart/form-data', '/', 'a/b;;'];
const methods = ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PURGE', 'PROPFIND', 'POST', 'get', 'FOO'];
const codings = [['gzip, chunked'], ['gzip', 'chunked'], [',chunked'], ['identity, Chunked']];
const signatures = new Set(Object.values(signatureSchemes).map(({ signatureHeader }) => signatureHeader)).add(
  'svix-signature',
);

/** Two readers may read such a head in two ways. */
const ambiguous: Record<string, Mutate> = {
  'two hosts': (sound, draw) =>
    addHeaders(sound, [oneOf(draw, ['Host', 'host', 'HOST']), oneOf(draw, ['a', '', 'b:1'])]),
  'codings beside chunked': (sound, draw) => chunked(sound, 1_000, ...oneOf(draw, codings)),
};
const cut: Record<string, Mutate> = {
  'content-length': oneOfThese('content-length', ['-1', '1e3', '0x5', '5, 6', '9'.repeat(20), ' ', '+3', '0']),
  'transfer-encoding': oneOfThese('transfer-encoding', [
    'gzip',
    'chunked, chunked',
    'gzip, chunked',
    'xchunked',
    'identity',
  ]),
  'two lengths': (sound) => addHeaders(sound, ['content-length', '3'], ['content-length', '4']),
  'length and chunked': (sound) => addHeaders(sound, ['content-length', '3'], ['transfer-encoding', 'chunked']),
  'broken chunks': (sound, draw) =>
    withHeaders(withBody(sound, oneOf(draw, brokenChunks)), ['transfer-encoding', 'chunked']),
};
const whole: Record<string, Mutate> = {
  chunked: (sound, draw) => chunked(sound, oneOf(draw, [1, 7, 1_000]), 'chunked'),
  'content-type': oneOfThese('content-type', [...contentTypes, 'application/xml', 'application/json, text/html']),
  expect: oneOfThese('expect', ['100-continue', '200-ok', '']),
  upgrade: (sound, draw) =>
    withHeaders(sound, ['connection', 'upgrade'], ['upgrade', oneOf(draw, ['websocket', 'h2c', 'TLS/1.0'])]),
  'content-encoding': (sound, draw) => {
    // A megabyte of blanks is a kilobyte.
    const body = gzipSync(oneOf(draw, [sound.body ?? Buffer.alloc(0), Buffer.alloc(4_000_000, ' ')]));
    const coding = oneOf(draw, ['gzip', 'br', 'deflate', 'identity', 'x, y']);
    return withHeaders(withBody(sound, body), ['content-encoding', coding]);
  },
};
const other: Record<string, Mutate> = {
  'folded header': (sound) => addHeaders(sound, ['x-folded', 'a\r\n b']),
  'absolute path': (sound) => ({ ...sound, target: `http://other.invalid${sound.target}` }),
  'another method': (sound, draw) => ({ ...sound, method: oneOf(draw, methods) }),
};
const longContentType: Mutate = (sound, draw) =>
  withHeaders(sound, ['content-type', oneOf(draw, ['\xff', 'é', 'a']).repeat(12_000)]);
const emptySignature: Mutate = (sound) => {
  const needed = sound.headers.filter(([name]) => name === 'host' || name === 'connection');
  const names = sound.headers.map(([name]) => name).filter((name) => signatures.has(name));
  return withHeaders({ ...sound, headers: needed }, ...names.map((name) => [name, ''] as const));
};

/** Requests on one connection, none of which waits for the answer to the one before. */
const pipelined = 20;
const versions = ['HTTP/2.0', 'HTTP/1.9', 'HTTP/0.9', 'HTPP/1.1'];

/** By the request's bytes, one a character. */
const garbage = {
  'no request': (_, draw) =>
    draw(fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes).toString('latin1'))),
  half: (request, draw) => request.slice(0, draw(fc.nat(request.length - 1))),
  bits: (request, draw) => bitsFlipped(Buffer.from(request, 'latin1'), draw).toString('latin1'),
  pipelined: (request) => request.replace(/connection: close\r\n/, '').repeat(pipelined),
  version: (request, draw) => request.replace('HTTP/1.1', oneOf(draw, versions)),
  TLS: () => Buffer.from('16030100c8010000c40303', 'hex').toString('latin1'),
  'no end': (request) => request.replace(/\r\n\r\n[^]*/, '\r\n'),
  'line feeds': (request) => request.replaceAll('\r\n', '\n'),
  'request line': (_, draw) => `${'A'.repeat(oneOf(draw, [100, 70_000]))} / HTTP/1.1\r\n\r\n`,
  'HTTP/2': () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
} satisfies Record<string, Defect<string>>;

const garbled =
  (garble: Defect<string>): Kind['break'] =>
  (sound, draw) =>
    Buffer.from(garble(bytesOf(sound).toString('latin1'), draw), 'latin1');
const { pipelined: pipeline, ...others } = each(garbage, garbled);
const noRequest = { isCut: true, isOther: true };

export const kindsByHand: readonly Kind[] = [
  ...kindsOf('framing', ambiguous, { code: { code: 'validation_failed', on: isServed } }),
  ...kindsOf('framing', cut, { isCut: true }),
  ...kindsOf('framing', whole),
  ...kindsOf('framing', other, { isOther: true }),
  ...kindsOf(
    'framing',
    { 'long content-type': longContentType },
    { code: { code: 'validation_failed', on: isWebhook } },
  ),
  ...kindsOf('signature', { empty: emptySignature }, { code: { code: 'signature_malformed', on: isWebhook } }),
  ...kindsOf('garbage', others, noRequest),
  ...kindsOf('garbage', { pipelined: pipeline }, { ...noRequest, requests: pipelined }),
];

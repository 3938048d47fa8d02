/** Heads of answers as the worst receivers write them: whole ones, with an empty line at their end. */
import type { Random } from '#lib/runtime';

/** The usual ones come more often, so that not every head has several faults. */
const versions = [...usually('HTTP/1.1', 9), 'HTTP/1.0', 'HTTP/1.2', 'HTTP/2.0', 'HTTP/0.9', 'HTTP/3.7', 'HTTP/9.9'];
const noVersions = [
  'http/1.1',
  'HTTP/1',
  'HTTP/11',
  'HTTP/1.',
  'HTTP 1.1',
  'ICY',
  'RTSP/1.0',
  'HTTPS/1.1',
  ' HTTP/1.1',
  '',
];
const gaps = [...usually(' ', 12), '  ', '\t', '', '\v', '\r', ' \t'];
const statuses = [
  ...usually('200', 6),
  '202',
  '204',
  '304',
  '307',
  '404',
  '410',
  '429',
  '500',
  '503',
  '599',
  '600',
  '999',
];
const noStatuses = ['20', '2000', '', '2OO', '-20', '+20', '0x1', '000', '099', '20\0', '２００'];
const reasons = [
  ...usually(' OK', 6),
  ...[
    '',
    ' ',
    '  ',
    ' Not Found',
    ' \t',
    ' Sí',
    ' \x01',
    ' a\0b',
    ' \x7f',
    '\tOK',
    'OK',
    ' OK\r',
    ' O\rK',
    ' HTTP/1.1 404',
  ],
];
const ends = [...usually('\r\n', 8), '\n', '\n', '\r', '\r\r\n', '\n\r'];
const headers = [
  ...usually('Content-Length: 2\r\n', 4),
  ...usually('X-One: two\r\n', 4),
  ...['Content-Length: 3\r\n', 'Content-Length: x\r\n', 'Transfer-Encoding: chunked\r\n', 'Transfer-Encoding: x\r\n'],
  ...['X-Folded: a\r\n b\r\n', ' folded\r\n', '\tfolded\r\n', 'X-Blank : a\r\n', 'X Blank: a\r\n', ': nameless\r\n'],
  ...[
    'no colon\r\n',
    'X-Control: \x01\r\n',
    'X-Nul: \0\r\n',
    'X\0: a\r\n',
    'X-Feed: a\n',
    'X-Return: a\rb\r\n',
    'Ü: a\r\n',
  ],
  ...['Connection: close\r\n', 'Connection: upgrade\r\nUpgrade: x\r\n', 'Keep-Alive: timeout=x\r\n', '{"json":1}\r\n'],
  ...[
    'HTTP/1.1 500 No\r\n',
    `X-Long: ${'x'.repeat(20_000)}\r\n`,
    'Retry-After: 5 \r\n',
    'Set-Cookie: a\r\nSet-Cookie: b\r\n',
  ],
];
const interims = [
  'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n',
  'HTTP/1.1 102 Processing\r\n\r\n',
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 103 Odd\nLink : </a>\n\n',
  'HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n',
  'HTTP/1.1 103 Without an end\r\nLink: </a>\r\n',
];
const before = ['\r\n', '\n', '\r\n\r\n', '\r', ' ', '\0', 'ok', '\ufeff'];

function usually<T>(value: T, times: number): T[] {
  return Array<T>(times).fill(value);
}

/** Its bytes, with a body of two. */
export function headOf(random: Random): Buffer {
  const one = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const seldom = <T>(usual: readonly T[], other: readonly T[], share: number): T =>
    one(random() < share ? other : usual);
  const text = [
    random() < 0.08 ? one(before) : '',
    random() < 0.15 ? one(interims) : '',
    seldom(versions, noVersions, 0.06),
    one(gaps),
    seldom(statuses, noStatuses, 0.08),
    one(reasons),
    one(ends),
    ...Array.from({ length: Math.floor(random() * 4) }, () => one(headers)),
    random() < 0.1 ? '\n\n' : '\r\n',
    'ok',
  ];
  return Buffer.from(text.join(''), random() < 0.5 ? 'latin1' : 'utf8');
}

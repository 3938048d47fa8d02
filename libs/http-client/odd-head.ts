/**
 * Reads an answer whose head the parser of HTTP/1.1 gave up. The server has read the request and says what came of it in the status line, so a
 * complete one is an answer, however the rest of its head is written: line feeds alone (RFC 9112, 2.2), folded headers (5.2), and the like. Nothing
 * else of such a head decides anything, and its connection has ended.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { isTooLong, tooLongHead } from './send-failure.ts';

export interface OddHead {
  status: number;
  /** As far as they can be told; control characters are written out, as `\x01`. */
  headers: IncomingHttpHeaders;
  /** How the head is odd, for the owner of the URL. */
  oddity: string;
}

/**
 * A status line (RFC 9112, 4), ended by a line feed alone too, a bare CR being read as a blank (2.2). Its reason phrase is not looked at, and may be
 * missing with the blank before it. Ends of lines before it are left over from an answer before.
 */
const statusLine = /^[\r\n]*(HTTP\/\d\.\d)[ \r](\d{3})(?:[ \r][^\n]*)?\n/;

/**
 * @param bytes from the first of the answer on, as far as they have come
 * @param error the parser's
 * @returns undefined if they hold no complete status line of an answer: an interim one (1xx) is none
 */
export function readOddHead(bytes: Buffer, error: unknown): OddHead | undefined {
  const found = findStatusLine(bytes.toString('latin1'));
  if (typeof found === 'string') return undefined;
  const head = headOf(found.rest);
  const oddity = isTooLong(error) ? tooLongHead : (oddityOf(found, head) ?? 'it does not keep to HTTP/1.1');
  return { status: found.status, headers: headersOf(head), oddity };
}

/** Whether it is an answer of another protocol, such as RTSP's, which the parser takes as well. */
export const isNotHttp = (bytes: Buffer): boolean => findStatusLine(bytes.toString('latin1')) === 'none';

interface Found {
  line: string;
  version: string;
  status: number;
  rest: string;
}

/** That of the answer, after interim ones. */
function findStatusLine(bytes: string): Found | 'none' | 'not yet' {
  for (let text = bytes; ;) {
    const [line = '', version = '', digits = ''] = statusLine.exec(text) ?? [];
    if (line === '') return text.trimStart().includes('\n') ? 'none' : 'not yet';
    const status = Number(digits);
    const rest = text.slice(line.length);
    if (!isInterim(status)) return { line, version, status, rest };
    // From there on it is another protocol.
    if (status === 101) return 'none';
    const end = /(?:^|\n)\r?\n/.exec(rest);
    if (end === null) return 'not yet';
    text = rest.slice(end.index + end[0].length);
  }
}

export const isInterim = (status: number): boolean => status >= 100 && status < 200;

/** The lines of the headers with their ends, as far as they are complete. */
function headOf(rest: string): string[] {
  const lines = rest
    .split('\n')
    .slice(0, -1)
    .map((line) => `${line}\n`);
  const end = lines.findIndex((line) => line === '\n' || line === '\r\n');
  return end < 0 ? lines : lines.slice(0, end);
}

const isFolded = (line: string): boolean => /^[ \t]/.test(line);
// oxlint-disable-next-line no-control-regex
const controls = /[\0-\x08\x0a-\x1f\x7f]/g;
const withoutEnd = (line: string): string => line.replace(/\r?\n$/, '');

/** The first that is found; undefined if the parser has seen more. */
function oddityOf({ line, version }: Found, head: readonly string[]): string | undefined {
  if (!/^HTTP\/1\.[01]$/.test(version)) return `its version is ${version}`;
  if ([line, ...head].some((each) => !each.endsWith('\r\n'))) return 'lines end in a line feed alone';
  if (/\r./.test(line)) return 'its status line has control characters in it';
  if (head.some(isFolded)) return 'a header is folded over several lines';
  for (const each of head) {
    const header = withoutEnd(each);
    const [, name] = /^([^:]*):/.exec(header) ?? [];
    if (name === undefined) return 'a line is no header';
    if (/[ \t]$/.test(name)) return 'a blank stands before a colon';
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return 'the name of a header is not valid';
    if (header.search(controls) >= 0) return 'a header has control characters in it';
  }
  const headers = headersOf(head);
  if (count(headers['content-length']) > 1) return 'Content-Length comes more than once';
  if (count(headers['content-length']) + count(headers['transfer-encoding']) > 1)
    return 'Content-Length and Transfer-Encoding come together';
  return undefined;
}

const count = (values: string | string[] | undefined): number => [values ?? []].flat().length;

/** Folded lines are joined (RFC 9112, 5.2), and lines without a colon are left out. */
function headersOf(head: readonly string[]): IncomingHttpHeaders {
  // No prototype: `__proto__` is a valid header name.
  const headers = Object.create(null) as Record<string, string[]>;
  let last: string[] | undefined;
  for (const each of head) {
    const line = withoutEnd(each);
    if (isFolded(line)) {
      const before = last?.pop();
      if (before !== undefined) last?.push(`${before} ${shown(line)}`.trim());
      continue;
    }
    const [, name = '', value = ''] = /^([^:]*):(.*)$/s.exec(line) ?? [];
    last = name.trim() === '' ? undefined : (headers[shown(name).toLowerCase()] ??= []);
    last?.push(shown(value));
  }
  return headers;
}

const shown = (text: string): string =>
  text.trim().replace(controls, (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`);

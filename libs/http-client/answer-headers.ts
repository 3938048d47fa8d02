import type { IncomingHttpHeaders } from 'node:http';

export type HeaderPairs = readonly (readonly [name: string, value: string])[];

/** Enough for debugging; a server may send any number, and every attempt is stored. */
const maxHeaders = 64;
const maxHeaderBytes = 8 * 1024;
const maxValueLength = 1_024;

/**
 * The headers of an answer that an attempt keeps, without the blanks around values (RFC 9110, 5.5). Cuts are visible: a value ends in an ellipsis,
 * a cut list in a header of that name.
 */
export function keptHeaders(headers: IncomingHttpHeaders): HeaderPairs {
  const kept: (readonly [string, string])[] = [];
  let bytes = 0;
  let missing = 0;
  const add = (name: string, given: string): void => {
    if (missing > 0) return void (missing += 1);
    const value = withoutBlanks(given);
    const text = value.length > maxValueLength ? `${value.slice(0, maxValueLength - 1)}…` : value;
    bytes += Buffer.byteLength(name) + Buffer.byteLength(text);
    if (kept.length === maxHeaders || bytes > maxHeaderBytes) missing = 1;
    else kept.push([name, text]);
  };
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string') add(name, value);
    else for (const each of value ?? []) add(name, each);
  }
  if (missing === 0) return kept;
  // The last place counts the missing headers.
  const last = kept.splice(maxHeaders - 1);
  return [...kept, ['…', `${missing + last.length} more`]];
}

/** Undici takes those before a value off, not those after it. */
function withoutBlanks(value: string): string {
  let end = value.length;
  while (end > 0 && isBlank(value.charCodeAt(end - 1))) end -= 1;
  return end === value.length ? value : value.slice(0, end);
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;

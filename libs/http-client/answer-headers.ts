import type { IncomingHttpHeaders } from 'node:http';

export type HeaderPairs = readonly (readonly [name: string, value: string])[];

/** Enough to debug by; a server may send whatever it likes, and each attempt is kept. */
const maxHeaders = 64;
const maxHeaderBytes = 8 * 1024;
const maxValueLength = 1_024;

/** What an attempt keeps of an answer's headers. What was cut says so: a value by an ellipsis, headers by a last one of that name. */
export function keptHeaders(headers: IncomingHttpHeaders): HeaderPairs {
  const all = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((each) => [name, each] as const),
  );
  const kept: (readonly [string, string])[] = [];
  let bytes = 0;
  for (const [name, value] of all) {
    const text = value.length > maxValueLength ? `${value.slice(0, maxValueLength - 1)}…` : value;
    bytes += Buffer.byteLength(name) + Buffer.byteLength(text);
    if (kept.length === maxHeaders - 1 && all.length > maxHeaders) break;
    if (bytes > maxHeaderBytes) break;
    kept.push([name, text]);
  }
  const missing = all.length - kept.length;
  return missing === 0 ? kept : [...kept, ['…', `${missing} more`]];
}

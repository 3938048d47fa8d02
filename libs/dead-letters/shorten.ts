import { hash } from 'node:crypto';
import { header } from '#lib/contract';
import { type DiedRecord, rawHeaders, toBuffer } from './died-record.ts';

/** Below this, whatever refuses a record does not refuse it for its size. */
const leastBytes = 1_024;
/** An id as long as it may be is left whole: by ids a dead letter is looked up. */
const leastHeaderBytes = 256;
/** Longest list of the names of the headers that were cut. */
const maxNamesLength = 512;

/**
 * Ever shorter forms of a record, each half as long as the one before, marked with the length and the digest of its value. Its value is
 * cut first; its headers and key where they are more than half of what is left.
 */
export function* shortenedForms(died: DiedRecord): Iterable<DiedRecord> {
  const headers = Object.entries(rawHeaders(died.headers)).map(([name, values]) => ({ name, values }));
  const key = died.key === null ? null : toBuffer(died.key);
  const marks = {
    [header.deadLetterBytes]: String(died.value.length),
    [header.deadLetterSha256]: hash('sha256', died.value, 'hex'),
  };
  const total = bytesOf(headers) + died.value.length + (key?.length ?? 0);
  for (let budget = total / 2; budget >= leastBytes / 2; budget /= 2) {
    const kept = cutHeaders(headers, budget / 2);
    const left = Math.max(0, Math.floor(budget) - bytesOf(kept.headers));
    yield {
      key: key === null ? null : key.subarray(0, Math.max(leastHeaderBytes, Math.floor(budget / 4))),
      value: died.value.subarray(0, left),
      headers: {
        ...Object.fromEntries(kept.headers.map(({ name, values }) => [name, values])),
        ...marks,
        ...(kept.cut.length > 0 && { [header.deadLetterCutHeaders]: namesText(kept.cut) }),
      },
    };
  }
}

interface Header {
  name: string;
  values: readonly Buffer[];
}

const bytesOf = (headers: readonly Header[]): number =>
  headers.reduce(
    (sum, { name, values }) => sum + values.reduce((all, value) => all + value.length + name.length, 0),
    0,
  );

/** To at most so many bytes: the longest values are cut first, then headers left out that are not ours, the last ones first. */
function cutHeaders(headers: readonly Header[], maxBytes: number): { headers: Header[]; cut: string[] } {
  let shorter = [...headers];
  const longest = headers.reduce((most, { values }) => values.reduce((m, { length }) => Math.max(m, length), most), 0);
  for (let most = longest; bytesOf(shorter) > maxBytes && most > leastHeaderBytes; most /= 2) {
    const limit = Math.max(leastHeaderBytes, Math.floor(most / 2));
    shorter = headers.map(({ name, values }) => ({ name, values: values.map((value) => value.subarray(0, limit)) }));
  }
  let excess = bytesOf(shorter) - maxBytes;
  const leftOut = new Set<string>();
  for (const each of shorter.toReversed()) {
    if (excess <= 0) break;
    if (isOurs(each.name)) continue;
    leftOut.add(each.name);
    excess -= bytesOf([each]);
  }
  const isCut = (before: Header, index: number): boolean =>
    leftOut.has(before.name) || bytesOf([before]) !== bytesOf(shorter.slice(index, index + 1));
  return {
    headers: shorter.filter(({ name }) => !leftOut.has(name)),
    cut: headers.filter(isCut).map(({ name }) => name),
  };
}

const isOurs = (name: string): boolean => name.startsWith('hookline-') || name === header.traceparent;

/** As many of the names as have room. */
function namesText(names: readonly string[]): string {
  const shown: string[] = [];
  for (const name of names) {
    if (JSON.stringify([...shown, name]).length > maxNamesLength) break;
    shown.push(name);
  }
  return JSON.stringify(shown);
}

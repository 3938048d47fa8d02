/* Finds positions in a JSON text that JSON.parse has accepted: nothing here looks for mistakes, or recurses. Positions count characters. */

/** The position of the member's value; of repeated names the last, as in JSON.parse. `open` itself if there is none. */
export function memberAt(text: string, open: number, name: string): number {
  let found = open;
  let at = skip(text, open + 1, isSpace);
  while (text[at] !== '}') {
    const nameEnd = endOfString(text, at);
    const value = skip(text, nameEnd, isSpaceOrColon);
    if (isSameText(text, [at, nameEnd], name)) found = value;
    at = skip(text, endOfValue(text, value), isSpaceOrComma);
  }
  return found;
}

export function endOfValue(text: string, start: number): number {
  let depth = 0;
  let at = start;
  do {
    const char = text[at] ?? '';
    if (char === '"') at = endOfString(text, at);
    else if (isScalarPart(text.charCodeAt(at))) at = endOfScalar(text, at);
    else {
      if (char === '{' || char === '[') depth += 1;
      else if (char === '}' || char === ']') depth -= 1;
      at += 1;
    }
  } while (depth > 0);
  return at;
}

/** @param quote the position of the string's first quotation mark */
export function endOfString(text: string, quote: number): number {
  for (let end = text.indexOf('"', quote + 1); ; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
  }
}

/** Whether the string there, quotation marks included, is this text. */
export function isSameText(text: string, [start, end]: readonly [start: number, end: number], wanted: string): boolean {
  const inner = text.slice(start + 1, end - 1);
  return inner.includes('\\') ? JSON.parse(text.slice(start, end)) === wanted : inner === wanted;
}

export function skip(text: string, from: number, passes: (char: string) => boolean): number {
  let at = from;
  while (at < text.length && passes(text[at] as string)) at += 1;
  return at;
}

export function endOfScalar(text: string, start: number): number {
  let at = start;
  while (isScalarPart(text.charCodeAt(at))) at += 1;
  return at;
}

export const isSpace = (char: string): boolean => char === ' ' || char === '\n' || char === '\r' || char === '\t';
const isSpaceOrColon = (char: string): boolean => char === ':' || isSpace(char);
const isSpaceOrComma = (char: string): boolean => char === ',' || isSpace(char);

/** The code of a character of a number, or of true, false and null. By its code: a megabyte has a million of them. */
export const isScalarPart = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) ||
  (code >= 0x61 && code <= 0x7a) ||
  (code >= 0x41 && code <= 0x5a) ||
  code === 0x2d ||
  code === 0x2b ||
  code === 0x2e;

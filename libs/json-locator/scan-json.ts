/* Finds positions in a JSON text that JSON.parse has accepted: nothing here looks for mistakes, or recurses. Positions count characters. */

/** The position of the member's value; of repeated names the last, as in JSON.parse. `open` itself if there is none. */
export function memberAt(text: string, open: number, name: string): number {
  let found = open;
  let at = skip(text, open + 1, isSpace);
  while (text[at] !== '}') {
    const nameEnd = endOfString(text, at);
    const value = skip(text, nameEnd, isSpaceOrColon);
    if (JSON.parse(text.slice(at, nameEnd)) === name) found = value;
    at = skip(text, endOfValue(text, value), isSpaceOrComma);
  }
  return found;
}

export function elementAt(text: string, open: number, index: number): number {
  let at = skip(text, open + 1, isSpace);
  for (let passed = 0; passed < index; passed += 1) at = skip(text, endOfValue(text, at), isSpaceOrComma);
  return at;
}

export function endOfValue(text: string, start: number): number {
  let depth = 0;
  let at = start;
  do {
    const char = text[at] ?? '';
    if (char === '"') at = endOfString(text, at);
    else if (isScalarPart(char)) at = skip(text, at, isScalarPart);
    else {
      if (char === '{' || char === '[') depth += 1;
      else if (char === '}' || char === ']') depth -= 1;
      at += 1;
    }
  } while (depth > 0);
  return at;
}

function endOfString(text: string, quote: number): number {
  for (let end = text.indexOf('"', quote + 1); ; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
  }
}

export function skip(text: string, from: number, passes: (char: string) => boolean): number {
  let at = from;
  while (at < text.length && passes(text[at] as string)) at += 1;
  return at;
}

export const isSpace = (char: string): boolean => char === ' ' || char === '\n' || char === '\r' || char === '\t';
const isSpaceOrColon = (char: string): boolean => char === ':' || isSpace(char);
const isSpaceOrComma = (char: string): boolean => char === ',' || isSpace(char);
/** A character of a number, or of true, false and null. */
export const isScalarPart = (char: string): boolean => /[-+.\w]/.test(char);

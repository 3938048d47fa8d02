/**
 * The characters that a number is written with in a JSON text.
 *
 * A double forgets: 9007199254740993 reads as …992, 1.0000000000000000001 as 1, 1e-400 as 0, and each pair would be one identifier. A
 * reviver of JSON.parse is given the source too, but for every value of the document (six times the time of a plain parse), and it
 * recurses: it overflows the stack at some thousand levels, where the parse itself takes any depth.
 *
 * @param text valid JSON, as JSON.parse has accepted it
 * @param tokens lead to a number in it
 */
export function numberSourceAt(text: string, tokens: readonly string[]): string {
  let at = skip(text, 0, isSpace);
  for (const token of tokens) at = text[at] === '{' ? memberAt(text, at, token) : elementAt(text, at, Number(token));
  return text.slice(at, skip(text, at, isScalarPart));
}

/** Where the member's value starts; of several with one name the last, as JSON.parse has it. */
function memberAt(text: string, open: number, name: string): number {
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

function elementAt(text: string, open: number, index: number): number {
  let at = skip(text, open + 1, isSpace);
  for (let passed = 0; passed < index; passed += 1) at = skip(text, endOfValue(text, at), isSpaceOrComma);
  return at;
}

function endOfValue(text: string, start: number): number {
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

function skip(text: string, from: number, passes: (char: string) => boolean): number {
  let at = from;
  while (at < text.length && passes(text[at] as string)) at += 1;
  return at;
}

const isSpace = (char: string): boolean => char === ' ' || char === '\n' || char === '\r' || char === '\t';
const isSpaceOrColon = (char: string): boolean => char === ':' || isSpace(char);
const isSpaceOrComma = (char: string): boolean => char === ',' || isSpace(char);
/** Of a number, or of true, false and null. */
const isScalarPart = (char: string): boolean => /[-+.\w]/.test(char);

import { elementAt, isScalarPart, isSpace, memberAt, skip } from './scan-json.ts';

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

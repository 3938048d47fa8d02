import { endOfScalar, endOfString, isSameText, isScalarPart } from './scan-json.ts';

/**
 * The characters that a number is written with in a JSON text.
 *
 * A double forgets: 9007199254740993 reads as …992, 1.0000000000000000001 as 1, 1e-400 as 0, and each pair would be one identifier. A
 * reviver of JSON.parse is given the source too, but for every value of the document (six times the time of a plain parse), and it
 * recurses: it overflows the stack at some thousand levels, where the parse itself takes any depth.
 *
 * The text is read once, whatever its depth and the number of tokens: a walk that looked for each token's member by itself would read what is
 * inside of it as often as there are tokens.
 *
 * @param text valid JSON, as JSON.parse has accepted it
 * @param tokens lead to a number in it
 */
export function numberSourceAt(text: string, tokens: readonly string[]): string {
  let source = '';
  let depth = 0;
  /** The open containers that lead to the number, which are the outermost ones. For an array, the index of its element. */
  const path: (number | undefined)[] = [];
  /** Whether the next value of the innermost of them is the one that the pointer names. Of repeated names the last counts, as in JSON.parse. */
  let isNamed = true;
  let isName = false;
  const isInnermost = (): boolean => depth === path.length;

  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') {
      const end = endOfString(text, at);
      if (isName && isInnermost()) isNamed = isSameText(text, [at, end], tokens[depth - 1] ?? '');
      else if (isNamed && isInnermost()) source = '';
      isName = false;
      at = end - 1;
    } else if (char === '{' || char === '[') {
      if (isNamed && isInnermost()) {
        source = '';
        if (depth < tokens.length) {
          path.push(char === '[' ? 0 : undefined);
          isNamed = char === '[' && Number(tokens[depth]) === 0;
        }
      }
      isName = char === '{';
      depth += 1;
    } else if (char === '}' || char === ']') {
      if (isInnermost()) path.pop();
      depth -= 1;
      // The next value is named anew.
      if (isInnermost()) isNamed = false;
    } else if (char === ',') {
      isName = false;
      if (isInnermost()) {
        const index = path[depth - 1];
        isName = index === undefined;
        if (index !== undefined) {
          path[depth - 1] = index + 1;
          isNamed = index + 1 === Number(tokens[depth - 1]);
        }
      }
    } else if (isScalarPart(text.charCodeAt(at))) {
      const end = endOfScalar(text, at);
      if (isNamed && isInnermost() && depth === tokens.length) source = text.slice(at, end);
      at = end - 1;
    }
  }
  return source;
}

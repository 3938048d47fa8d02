/** Deeper levels are not indented further: ten thousand of them would be all spaces. */
const deepestIndent = 40;

/** As many as a megabyte of usual JSON has. */
const usualCharacters = 2 * 1024 * 1024;

/** Strings as a whole; whitespace between tokens; brackets, commas and colons; runs of anything else. */
const piece = /"(?:[^"\\]|\\.)*"?|\s+|[{}[\],:]|[^\s{}[\],:"]+/gs;

/**
 * Lines and indents for JSON that was sent in one line. Tokens stay as they came: only the whitespace between them is ours.
 *
 * @param mostCharacters of lines: what comes after them is left in one. A megabyte of brackets would be eighty megabytes of spaces
 */
export function indentedJson(text: string, mostCharacters = usualCharacters): string {
  const out: string[] = [];
  let length = 0;
  let depth = 0;
  let before = '';
  const add = (part: string): void => {
    out.push(part);
    length += part.length;
  };
  const newLine = (): void => add(`\n${'  '.repeat(Math.min(depth, deepestIndent))}`);
  for (const { 0: one, index } of text.matchAll(piece)) {
    if (one.trim() === '') continue;
    if (length >= mostCharacters) {
      out.push(text.slice(index));
      break;
    }
    const isOpening = one === '{' || one === '[';
    const isClosing = one === '}' || one === ']';
    if (isClosing) {
      depth = Math.max(0, depth - 1);
      if (before !== '{' && before !== '[') newLine();
    } else if (before === '{' || before === '[' || before === ',') newLine();
    add(one === ':' ? ': ' : one);
    if (isOpening) depth += 1;
    before = one;
  }
  return out.join('');
}

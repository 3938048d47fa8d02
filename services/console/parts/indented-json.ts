/** Deeper levels are not indented further: ten thousand of them would be all spaces. */
const deepestIndent = 40;

/** Strings as a whole; whitespace between tokens; brackets, commas and colons; runs of anything else. */
const piece = /"(?:[^"\\]|\\.)*"?|\s+|[{}[\],:]|[^\s{}[\],:"]+/gs;

/** Lines and indents for JSON that was sent in one line. Tokens stay as they came: only the whitespace between them is ours. */
export function indentedJson(text: string): string {
  const pieces = (text.match(piece) ?? []).filter((one) => one.trim() !== '');
  let depth = 0;
  let out = '';
  const newLine = (): string => `\n${'  '.repeat(Math.min(depth, deepestIndent))}`;
  pieces.forEach((one, index) => {
    const isOpening = one === '{' || one === '[';
    const isClosing = one === '}' || one === ']';
    const before = pieces[index - 1];
    if (isClosing) {
      depth = Math.max(0, depth - 1);
      if (before !== '{' && before !== '[') out += newLine();
    } else if (before === '{' || before === '[' || before === ',') out += newLine();
    out += one === ':' ? ': ' : one;
    if (isOpening) depth += 1;
  });
  return out;
}

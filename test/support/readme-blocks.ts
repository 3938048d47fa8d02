/** The commands of a page of Markdown, and the output that it promises for them. */
export interface Block {
  commands: string;
  /** Each is a line of the output. `…` stands for anything, a space for any number of them. */
  promised: readonly string[];
}

/** Reads each `sh` block, with the `text` block right behind it. */
export function readBlocks(markdown: string): Block[] {
  const fenced = /^```sh\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?/gms;
  return [...markdown.matchAll(fenced)].map(([, commands = '', promised = '']) => ({
    commands: commands.trimEnd(),
    promised: promised.split('\n').filter((line) => line.trim() !== ''),
  }));
}

/** The promised lines that the output has not, in whatever order: programs that run side by side print as they come. */
export function missingLines({ promised }: Pick<Block, 'promised'>, output: string): string[] {
  const left = output.split('\n');
  return promised.filter((line) => {
    const found = left.findIndex((given) => patternOf(line).test(given));
    if (found >= 0) left.splice(found, 1);
    return found < 0;
  });
}

const patternOf = (line: string): RegExp =>
  new RegExp(
    `^\\s*${line
      .trim()
      .replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
      .replace(/ +/g, String.raw`\s+`)
      .replaceAll('…', '.*')}\\s*$`,
  );

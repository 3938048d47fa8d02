/** A text as one word of a shell, whatever it holds. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** A command with an option on each line. */
export const shellLines = (lines: readonly string[]): string => lines.join(' \\\n  ');

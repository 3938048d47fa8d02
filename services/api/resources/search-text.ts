/** Whether one of the columns contains the text, whatever the case. No character of it has a meaning of its own. */
export const containsText = (columns: readonly string[], text: string): string =>
  `(${columns.map((column) => `strpos(lower(${column}), lower(${text})) > 0`).join(' OR ')})`;

/** Collectors cut or split what is longer, and it is no JSON then. In UTF-16 code units. */
export const maxLineLength = 64 * 1024;

const maxTextLength = 1_000;

/** The same line with long texts cut; if that is not enough, with its flat facts alone, whose names are then cut, too. */
export function shortenLine(line: string): string {
  const facts = JSON.parse(line) as Record<string, unknown>;
  const cut = `${JSON.stringify(facts, (_name, value: unknown) => cutText(value))}\n`;
  if (cut.length <= maxLineLength) return cut;
  const flat = Object.entries(facts).filter(([, value]) => typeof value !== 'object' || value === null);
  // They are some 100 kB at most, which no output drops.
  const kept = flat.slice(0, 50).map(([name, value]) => [cutText(name), cutText(value)] as const);
  return `${JSON.stringify({ ...Object.fromEntries(kept), isShortened: true })}\n`;
}

const cutText = (value: unknown): unknown =>
  typeof value === 'string' && value.length > maxTextLength
    ? `${value.slice(0, maxTextLength)}… (${value.length} characters)`
    : value;

import { typeLinkPattern } from '#lib/contract';

/** Runs of characters with a letter or a digit, as the API counts those of a type. */
export const countWords = (texts: Iterable<string>): number =>
  [...texts].reduce(
    (sum, text) => sum + (text.match(/\S+/g) ?? []).filter((word) => /[\p{L}\p{N}]/u.test(word)).length,
    0,
  );

const longest = 240;

/** The beginning of a description, for lists: its first paragraph, without links. */
export function shortText(text: string): string {
  const [first = ''] = text.trim().split(/\n\s*\n/, 1);
  const plain = first.replace(typeLinkPattern, '$1').replace(/\s+/g, ' ');
  if (plain.length <= longest) return plain;
  return `${plain.slice(0, longest).replace(/\s+\S*$/, '')} …`;
}

import type { EventTypeSummary } from '#lib/api-contract';
import { typeLinkPattern } from '#lib/contract';

/** Runs of characters with a letter or a digit, as the API counts those of a type. */
export const countWords = (texts: readonly string[]): number =>
  (texts.join('\n').match(/\S+/g) ?? []).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

const longest = 240;

/** The beginning of a description, for lists: its first paragraph, without links. */
export function shortText(text: string): string {
  const [first = ''] = text.trim().split(/\n\s*\n/, 1);
  const plain = first.replace(typeLinkPattern, '$1').replace(/\s+/g, ' ');
  if (plain.length <= longest) return plain;
  return `${plain.slice(0, longest).replace(/\s+\S*$/, '')} …`;
}

/** Which types a search is for: every word of it stands in what a type says of itself. Best first: in the name, then in the texts. */

const mostSuggestions = 5;
/** The most that a name may differ from what was searched, to be shown as perhaps meant. */
const mostEdits = 3;

export function searchTypes(types: readonly EventTypeSummary[], query: string): readonly EventTypeSummary[] {
  const words = query.toLowerCase().match(/\S+/g) ?? [];
  const ranked = types.flatMap((type) => {
    const name = type.name.toLowerCase();
    const texts = [name, type.category ?? '', type.description, type.notes].join('\n').toLowerCase();
    if (!words.every((word) => texts.includes(word))) return [];
    return [{ type, rank: name === query.toLowerCase() ? 0 : words.every((word) => name.includes(word)) ? 1 : 2 }];
  });
  return ranked.sort((a, b) => a.rank - b.rank).map(({ type }) => type);
}

/** Types that are spelt nearly so. */
export function suggestTypes(types: readonly EventTypeSummary[], query: string): readonly EventTypeSummary[] {
  const wanted = query.toLowerCase().trim().slice(0, 64);
  return types
    .flatMap((type) => {
      const parts = [type.name, ...type.name.split(/[._:-]/)].map((part) => part.toLowerCase());
      const edits = Math.min(...parts.map((part) => editDistance(part, wanted)));
      return edits <= Math.min(mostEdits, Math.ceil(wanted.length / 3)) ? [{ type, edits }] : [];
    })
    .sort((a, b) => a.edits - b.edits)
    .slice(0, mostSuggestions)
    .map(({ type }) => type);
}

/** Levenshtein's; more than the limit where the lengths alone say so. */
function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > mostEdits) return mostEdits + 1;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1)
      next.push(
        Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)),
      );
    row = next;
  }
  return row[b.length] ?? 0;
}

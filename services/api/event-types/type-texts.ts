import type { EventTypeSummary } from '#lib/api-contract';
import { typeLinkPattern } from '#lib/contract';
import { wordsIn } from '#lib/schema-checks';

/** Texts of a type that its page shows. */
export type TypeTexts = Pick<EventTypeSummary, 'description' | 'notes'>;

/** Words of its own, by which a page counts as thin: those of its texts, and what its version says: its notes and its fields. */
export const countWords = ({ description, notes }: TypeTexts, wordsOfVersion: number): number =>
  wordsIn(description) + wordsIn(notes) + wordsOfVersion;

/** Names that the texts link to. */
export const linkedNames = (...texts: readonly string[]): string[] => [
  ...new Set(texts.flatMap((text) => [...text.matchAll(typeLinkPattern)].map(([, name = '']) => name))),
];

/** The prefixes before the dots of a name. */
export const groupsOf = (name: string): string[] =>
  [...name.matchAll(/\./g)].map(({ index }) => name.slice(0, index)).filter((prefix) => prefix !== '');

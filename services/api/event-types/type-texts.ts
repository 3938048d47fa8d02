import { typeLinkPattern } from '#lib/contract';
import { schemaFields } from './schema-fields.ts';

/** Texts of a type that its page shows. */
export interface TypeTexts {
  description: string;
  notes: string;
}

/** Words of its own, by which a page counts as thin: those of its texts, and what the schema says of its fields. */
export function countWords({ description, notes }: TypeTexts, newest?: { schema: unknown; notes: string }): number {
  const fields =
    newest === undefined ? [] : [...schemaFields(newest.schema).values()].map((field) => field.description);
  return [description, notes, newest?.notes ?? '', ...fields].reduce((sum, text) => sum + wordsIn(text), 0);
}

/** Runs of characters with a letter or a digit. */
const wordsIn = (text: string): number => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

/** Names that the texts link to. */
export const linkedNames = (...texts: readonly string[]): string[] => [
  ...new Set(texts.flatMap((text) => [...text.matchAll(typeLinkPattern)].map(([, name = '']) => name))),
];

/** The prefixes before the dots of a name. */
export const groupsOf = (name: string): string[] =>
  [...name.matchAll(/\./g)].map(({ index }) => name.slice(0, index)).filter((prefix) => prefix !== '');

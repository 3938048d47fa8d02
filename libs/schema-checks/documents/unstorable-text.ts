import type { FieldError } from './schema-errors.ts';

const maxErrors = 20;
const message = 'must not contain NUL or an unpaired surrogate';

/** Texts, and names of members, that no column of Postgres holds as they came (services/api/http/refuse-unstorable-text.ts). */
export function unstorableTexts(whole: unknown, at: string): FieldError[] {
  const errors: FieldError[] = [];
  const look = (value: unknown, path: string): void => {
    if (errors.length >= maxErrors) return;
    if (typeof value === 'string' && !isStorable(value)) errors.push({ field: path, message });
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      const below = `${path}/${writable(name).replace(/~/g, '~0').replace(/\//g, '~1')}`;
      if (isStorable(name)) look(inner, below);
      else errors.push({ field: below, message });
    }
  };
  look(whole, at);
  return errors.slice(0, maxErrors);
}

const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** The name of such a member, in a form that can be stored. */
const writable = (name: string): string => name.replaceAll('\0', '\uFFFD').toWellFormed();

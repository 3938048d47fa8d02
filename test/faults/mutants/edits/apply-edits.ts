import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findDeclaration } from './declarations.ts';
import type { Edit, Sources } from './edit.ts';
import { changeOf } from './operations.ts';
import { unknownNames } from './unknown-names.ts';

/** The code that mutants change. */
const patterns = ['{services,libs}/**/*.ts', 'packages/*/src/**/*.ts', 'deploy/postgres/migrations/*.sql'];

export const readSources = (dir: string): Sources =>
  new Map(
    globSync(patterns, { cwd: dir })
      .sort()
      .map((file) => [file, readFileSync(join(dir, file), 'utf8')]),
  );

/**
 * One edit after the other.
 *
 * @returns the new texts of the files that are changed
 * @throws Error with the edit and the reason where one can't be made
 */
export function applyEdits(sources: Sources, edits: readonly Edit[]): Sources {
  const changed = new Map<string, string>();
  for (const edit of edits) {
    try {
      const { file, text } = applied(new Map([...sources, ...changed]), edit);
      changed.set(file, text);
    } catch (error) {
      throw new Error(`in ${edit.in}: ${(error as Error).message}`, { cause: error });
    }
  }
  return changed;
}

function applied(sources: Sources, edit: Edit): { file: string; text: string } {
  const declaration = findDeclaration(sources, edit.in);
  const { file } = declaration;
  const before = sources.get(file) ?? '';
  const { start, end, code } = changeOf(edit, declaration, before);
  const text = `${before.slice(0, start)}${code}${before.slice(end)}`;
  if (text === before) throw new Error('it changes nothing');
  const unknown = file.endsWith('.ts') ? unknownNames(file, before, text) : [];
  if (unknown.length > 0) throw new Error(`${file} has no ${unknown.join(', ')}`);
  return { file, text };
}

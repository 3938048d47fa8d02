/** A copy of the repository that can be edited while the original is worked on; packages and downloaded servers are shared with it. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { jarsDir, root } from '#deploy/local/paths.ts';
import type { Edit } from './mutant.ts';

const notCopied = new Set(['node_modules', '.hookline', '.git', 'coverage']);

export interface CopiedTree {
  dir: string;
  remove(): void;
}

export function copyTree(edits: readonly Edit[]): CopiedTree {
  const dir = mkdtempSync(join(tmpdir(), 'hookline-mutant-'));
  const remove = (): void => rmSync(dir, { recursive: true, force: true });
  try {
    cpSync(root, dir, { recursive: true, filter: (path) => !notCopied.has(basename(path)) });
    symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'));
    mkdirSync(join(dir, '.hookline'));
    mkdirSync(jarsDir, { recursive: true });
    symlinkSync(jarsDir, join(dir, '.hookline', basename(jarsDir)));
    for (const edit of edits)
      writeFileSync(join(dir, edit.file), edited(readFileSync(join(dir, edit.file), 'utf8'), edit));
    return { dir, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** @throws Error where the text is not there, or more than once */
export function edited(text: string, { file, find, replace }: Edit): string {
  if (text.split(find).length !== 2) throw new Error(`${file} does not have this once:\n${find}`);
  return text.replace(find, () => replace);
}

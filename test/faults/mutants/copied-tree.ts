/** A copy of the repository that can be edited while the original is worked on; packages and downloaded servers are shared with it. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { jarsDir, root } from '#deploy/local/paths.ts';
import { applyEdits, type Edit, readSources } from './edits/index.ts';

const notCopied = new Set(['node_modules', '.hookline', '.git', 'coverage']);

export interface CopiedTree {
  dir: string;
  remove(): void;
}

/** @throws Error where an edit can't be made */
export function copyTree(edits: readonly Edit[]): CopiedTree {
  const changed = applyEdits(readSources(root), edits);
  const dir = mkdtempSync(join(tmpdir(), 'hookline-mutant-'));
  const remove = (): void => rmSync(dir, { recursive: true, force: true });
  try {
    cpSync(root, dir, { recursive: true, filter: (path) => !notCopied.has(basename(path)) });
    symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'));
    mkdirSync(join(dir, '.hookline'));
    mkdirSync(jarsDir, { recursive: true });
    symlinkSync(jarsDir, join(dir, '.hookline', basename(jarsDir)));
    for (const [file, text] of changed) writeFileSync(join(dir, file), text);
    return { dir, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

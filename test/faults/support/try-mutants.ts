/** Puts each mutant into a copy of the tree and runs a fault run there, which must see it. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { jarsDir, root } from '#deploy/local/paths.ts';

/** A way in which the system could be wrong. */
export interface Mutant {
  name: string;
  edits: readonly Edit[];
  scenario: string;
  /** One of these must be found, by the name that the run gives it; any other is welcome. */
  seenAs: readonly string[];
}

interface Edit {
  file: string;
  /** Must stand in the file once. */
  find: string;
  replace: string;
}

const notCopied = new Set(['node_modules', '.hookline', '.git', 'coverage']);

/** @returns the exit code of it all: 0 where each mutant was seen, and there was one */
export function tryMutants(mutants: readonly Mutant[], run: { program: string; args: readonly string[] }): number {
  const missed = mutants.filter((mutant) => {
    const { seen, says } = tryMutant(mutant, run);
    console.log(`${seen ? 'seen  ' : 'MISSED'}  ${mutant.name}: ${says}`);
    return !seen;
  });
  return missed.length === 0 && mutants.length > 0 ? 0 : 1;
}

function tryMutant(
  { edits, scenario, seenAs }: Mutant,
  { program, args }: { program: string; args: readonly string[] },
): { seen: boolean; says: string } {
  const copy = mkdtempSync(join(tmpdir(), 'hookline-mutant-'));
  try {
    cpSync(root, copy, { recursive: true, filter: (path) => !notCopied.has(basename(path)) });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    mkdirSync(join(copy, '.hookline'));
    symlinkSync(jarsDir, join(copy, '.hookline', basename(jarsDir)));
    for (const edit of edits) apply(edit, copy);
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, '--scenario', scenario, ...args], {
      cwd: copy,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    });
    const found = seenAs.filter((name) => new RegExp(`^ *${name} \\d+:`, 'm').test(stdout));
    return { seen: status === 1 && found.length > 0, says: found.join() || `exit ${status}\n${stdout}\n${stderr}` };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function apply({ file, find, replace }: Edit, copy: string): void {
  const path = join(copy, file);
  const text = readFileSync(path, 'utf8');
  if (text.split(find).length !== 2) throw new Error(`${file} does not have this once:\n${find}`);
  writeFileSync(
    path,
    text.replace(find, () => replace),
  );
}

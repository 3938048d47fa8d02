/** The version before the newest migrations: a copy of the tree as git has it, which uses the packages of this one. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '#deploy/local/paths.ts';

export interface PreviousTree {
  commit: string;
  dir: string;
  /** The tree of this version. */
  root: string;
  /** Migrations that this version has, and that one has not. */
  newMigrations: readonly string[];
  remove(): void;
}

const migrations = 'deploy/postgres/migrations';

/** @throws Error in a clone without history */
export function makePreviousTree(): PreviousTree {
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const namesAt = (revision: string): string[] => git('ls-tree', '--name-only', revision, `${migrations}/`).split('\n');
  const today = new Set(namesAt('HEAD'));
  // Between two versions, a migration may have had another number for a while: setup refuses such a database.
  const commit = git('log', '--first-parent', '--format=%p', '--abbrev=8', '--', migrations)
    .split('\n')
    .flatMap((parents) => parents.split(' ')[0] ?? [])
    .filter((revision) => revision !== '')
    .find((revision) => namesAt(revision).length < today.size && namesAt(revision).every((name) => today.has(name)));
  if (commit === undefined) throw new Error('no version of this history has fewer migrations');
  const before = new Set(namesAt(commit));
  const dir = mkdtempSync(join(tmpdir(), 'hookline-previous-'));
  const archive = join(dir, 'tree.tar');
  git('archive', '--output', archive, commit);
  execFileSync('tar', ['-xf', archive, '-C', dir]);
  rmSync(archive);
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'));
  return {
    commit,
    dir,
    root,
    newMigrations: [...today]
      .filter((name) => !before.has(name))
      .map((name) => name.slice(migrations.length + 1, -'.sql'.length)),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

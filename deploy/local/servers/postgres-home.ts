/**
 * Finds Postgres's data folder: `<dir>/postgres`. If this process is root, Postgres runs as another user, who may not be able to read a
 * checkout below /root: then the folder is in /var/lib, and a file in `dir` names it.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RunAs } from './run-as.ts';

const elsewhere = '/var/lib/hookline';
const noteIn = (dir: string): string => join(dir, 'postgres-home');

export function postgresHome(dir: string): string {
  return existsSync(noteIn(dir)) ? readFileSync(noteIn(dir), 'utf8').trim() : join(dir, 'postgres');
}

/** Makes it, if it is not there yet, so that `user` can work in it. */
export function makePostgresHome(dir: string, user: RunAs | undefined, say: (line: string) => void): string {
  mkdirSync(dir, { recursive: true });
  if (user !== undefined && !existsSync(postgresHome(dir)) && !everybodyMayEnter(dir)) {
    mkdirSync(elsewhere, { recursive: true });
    chmodSync(elsewhere, 0o755);
    const home = join(elsewhere, randomBytes(6).toString('hex'));
    writeFileSync(noteIn(dir), `${home}\n`);
    say(`Postgres keeps its data in ${home}: user ${user.name}, as whom it runs, can't enter ${dir}`);
  }
  const home = postgresHome(dir);
  mkdirSync(home, { recursive: true });
  if (user !== undefined) chownSync(home, user.uid, user.gid);
  return home;
}

export function removePostgresHome(dir: string): void {
  rmSync(postgresHome(dir), { recursive: true, force: true });
  rmSync(noteIn(dir), { force: true });
}

function everybodyMayEnter(dir: string): boolean {
  return (statSync(dir).mode & 0o001) !== 0 && (dirname(dir) === dir || everybodyMayEnter(dirname(dir)));
}

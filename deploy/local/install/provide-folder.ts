import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from '../processes/lock.ts';
import { assertRoom } from './disk-room.ts';

export interface FolderOptions {
  /** Holds one folder for each content that was ever wanted. */
  dir: string;
  /** Key of the folder's content: another text, another folder. */
  madeFrom: string;
  /** Shown to processes that wait for the lock. */
  doing: string;
  leastMebibytes: number;
  /** Fills an empty folder. */
  fill(unfinished: string): Promise<void>;
}

/**
 * A folder of downloads, made once. It is named after what it is made from and moved into its place when it is whole: what a broken
 * download left is never taken for complete, and a changed version never mixes with an old one.
 *
 * @returns its path
 */
export async function provideFolder({ dir, madeFrom, doing, leastMebibytes, fill }: FolderOptions): Promise<string> {
  const complete = join(dir, createHash('sha256').update(madeFrom).digest('hex').slice(0, 16));
  if (existsSync(complete)) return complete;
  await withLock(join(dir, 'lock'), doing, async () => {
    if (existsSync(complete)) return;
    assertRoom(dir, leastMebibytes);
    const unfinished = join(dir, 'unfinished');
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { recursive: true });
    await fill(unfinished);
    renameSync(unfinished, complete);
  });
  return complete;
}

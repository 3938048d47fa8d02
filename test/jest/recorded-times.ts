/** The time that each test file took: the last run's in .hookline, and the committed table by which longest-first.ts orders the files. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface FileTime {
  /** The file's process and children that have ended; servers that files share are not counted. */
  processorSeconds: number;
  wallSeconds: number;
}

/** By path from the root. */
export type FileTimes = Readonly<Record<string, FileTime>>;

const root = join(import.meta.dirname, '../..');

export const lastRunFile = join(root, '.hookline/test-times.json');
export const committedFile = join(root, 'test/lanes/files.json');

export function readTimes(file: string): FileTimes {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as FileTimes;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

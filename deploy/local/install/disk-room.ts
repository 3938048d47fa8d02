import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { StackError } from '../failure.ts';

const mebibyte = 1024 * 1024;

/** @throws StackError where less than that is free on the folder's disk: databases say so less clearly, and later */
export function assertRoom(dir: string, leastMebibytes: number, free: (path: string) => number = freeBytes): void {
  const path = existing(dir);
  const mebibytes = Math.floor(free(path) / mebibyte);
  if (mebibytes < leastMebibytes)
    throw new StackError(
      `the disk is full: ${mebibytes} MiB are free at ${path}, and ${leastMebibytes} MiB are needed`,
    );
}

function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

function existing(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : existing(dirname(path));
}

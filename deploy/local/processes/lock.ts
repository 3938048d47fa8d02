import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';

export interface LockOptions {
  /** Called once if another process holds the lock, with what that process does. */
  onWait?: (holder: string) => void;
}

const busy = 5;

/**
 * Runs `work` while no other process holds the same lock. It is a lock of the operating system (SQLite's on its file), so it ends with
 * the process however that ends: there is no stale lock to clean up.
 */
export async function withLock<T>(
  file: string,
  doing: string,
  work: () => Promise<T>,
  options: LockOptions = {},
): Promise<T> {
  const lock = openLock(file);
  let told = false;
  while (!acquire(lock)) {
    if (!told) options.onWait?.(readIfThere(holderFile(file)));
    told = true;
    await delay(200);
  }
  return runHolding(lock, file, doing, work);
}

/** The same if the lock is free; otherwise undefined, without waiting. */
export async function withLockIfFree<T>(file: string, doing: string, work: () => Promise<T>): Promise<T | undefined> {
  const lock = openLock(file);
  if (acquire(lock)) return runHolding(lock, file, doing, work);
  lock.close();
  return undefined;
}

const holderFile = (file: string): string => `${file}.holder`;

function openLock(file: string): DatabaseSync {
  mkdirSync(dirname(file), { recursive: true });
  return new DatabaseSync(file);
}

async function runHolding<T>(lock: DatabaseSync, file: string, doing: string, work: () => Promise<T>): Promise<T> {
  try {
    writeFileSync(holderFile(file), `${doing} (pid ${process.pid})`);
    return await work();
  } finally {
    lock.close();
  }
}

function acquire(lock: DatabaseSync): boolean {
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if ((error as { errcode?: number }).errcode === busy) return false;
    throw error;
  }
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return 'another command';
  }
}

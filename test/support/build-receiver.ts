import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');

/** Builds `@hookline/receiver` into this directory: nothing of the build is kept in the tree. */
export async function buildReceiver(directory: string): Promise<void> {
  await run(process.execPath, ['packages/receiver/build.ts', directory], { cwd: root });
}

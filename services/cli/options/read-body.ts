import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { usageFailure } from '../command-failure.ts';
import type { Context } from '../context.ts';

/**
 * The exact bytes of `--body-file`; `-` is the standard input.
 *
 * @throws CommandFailure where the option is missing, or its file can't be read
 */
export async function readBody({ process }: Context, file: string | undefined): Promise<Buffer> {
  if (file === undefined) throw usageFailure('missing --body-file');
  if (file === '-') return buffer(process.stdin);
  try {
    return await readFile(file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw usageFailure(`--body-file: ${code === 'ENOENT' ? `no such file: ${file}` : message}`);
  }
}

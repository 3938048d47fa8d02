import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { usageFailure } from '../command-failure.ts';

/**
 * The exact bytes of `--body-file`; `-` is the standard input.
 *
 * @throws CommandFailure where none is named, there is no such file, or it can't be read
 */
export async function readBody(file: string | undefined): Promise<Buffer> {
  if (file === undefined) throw usageFailure('--body-file is missing');
  if (file === '-') return buffer(process.stdin);
  try {
    return await readFile(file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw usageFailure(`--body-file: ${code === 'ENOENT' ? `there is no file ${file}` : message}`);
  }
}

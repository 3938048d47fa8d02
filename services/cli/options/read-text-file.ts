import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { parseExact } from '#lib/exact-json';
import { usageFailure } from '../command-failure.ts';
import type { Context } from '../context.ts';

/** `-` is the standard input. @throws CommandFailure if the file can't be read */
export async function readTextFile({ process }: Context, option: string, file: string): Promise<string> {
  try {
    return (await (file === '-' ? buffer(process.stdin) : readFile(file))).toString('utf8');
  } catch (error) {
    throw usageFailure(`--${option}: ${(error as Error).message}`);
  }
}

/** @throws CommandFailure if the text is not JSON */
export function readJson(option: string, text: string): unknown {
  try {
    return parseExact(text, 'all');
  } catch {
    throw usageFailure(`--${option} is not JSON: ${text.slice(0, 100)}`);
  }
}

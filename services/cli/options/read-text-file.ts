import { readFileSync } from 'node:fs';
import { usageFailure } from '../command-failure.ts';

/** `-` is the standard input. @throws CommandFailure if the file can't be read */
export function readTextFile(option: string, file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw usageFailure(`--${option}: ${(error as Error).message}`);
  }
}

/** @throws CommandFailure if the text is not JSON */
export function readJson(option: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw usageFailure(`--${option} is not JSON: ${text.slice(0, 100)}`);
  }
}

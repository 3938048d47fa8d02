import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { errorCode } from './failure.ts';

/** `NAME=value` lines; undefined if there is no such file. */
export function readKeyValueFile(file: string): Record<string, string> | undefined {
  try {
    return Object.fromEntries(
      readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line) => {
          const [, name, value] = /^([A-Z_]+)=(.*)$/.exec(line) ?? [];
          return name === undefined || value === undefined ? [] : [[name, value]];
        }),
    );
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Whole or not at all, and readable by its owner alone: it may hold keys. */
export function writePrivateFile(file: string, content: string): void {
  writeFileSync(`${file}.new`, content, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

export function writeKeyValueFile(file: string, values: Readonly<Record<string, string>>): void {
  const lines = Object.entries(values).map(([name, value]) => `${name}=${value}\n`);
  writePrivateFile(file, lines.join(''));
}

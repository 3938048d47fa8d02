import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** `make up` writes the running stack's settings here, as `NAME=value` lines. */
export const localEnvFile = join(import.meta.dirname, '../../.hookline/local.env');

/** Empty if no local stack is up. */
export function readLocalEnv(file: string): Record<string, string> {
  let content: string;
  try {
    content = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
  return Object.fromEntries(
    [...content.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
}

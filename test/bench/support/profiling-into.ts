import { mkdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';

/** Environment of a service that is to leave a profile of its processor time when it ends. */
export function profilingInto(file: string): Record<string, string> {
  mkdirSync(dirname(file), { recursive: true });
  return { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${dirname(file)} --cpu-prof-name=${basename(file)}` };
}

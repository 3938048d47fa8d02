import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hooklineDir } from '#deploy/local/paths.ts';
import type { MeasuredPart } from './compare-systems.ts';

const file = join(hooklineDir, 'bench/peers-parts.json');

interface Kept {
  /** The commit and the line that the parts are of. */
  of: string;
  parts: MeasuredPart[];
}

/** The figures of a comparison so far: one that was interrupted goes on, if it is given again for the same commit. */
export function openParts({ commit, again }: { commit: string; again: string }) {
  const of = `${commit}: ${again}`;
  const kept = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Kept) : undefined;
  // A commit with changes may be another tree each time.
  const parts = kept?.of === of && !commit.includes(',') ? kept.parts : [];
  return {
    done: [...parts],
    keep(part: MeasuredPart): void {
      parts.push(part);
      mkdirSync(join(file, '..'), { recursive: true });
      writeFileSync(file, JSON.stringify({ of, parts } satisfies Kept));
    },
    end: (): void => rmSync(file, { force: true }),
  };
}

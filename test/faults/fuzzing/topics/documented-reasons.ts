import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '#deploy/local/paths.ts';

export interface Reasons {
  has(stage: string, reason: string): boolean;
}

/** As docs/metrics.md, which is made of the services' own tables, lists them for each stage. */
export function documentedReasons(): Reasons {
  const lines = readFileSync(join(root, 'docs/metrics.md'), 'utf8').split('\n');
  const rows = lines.filter((line) => line.includes('`hookline_dead_letters_total`') && line.includes('`stage`:'));
  const words = (text = ''): string[] => [...text.matchAll(/`([a-z_-]+)`/g)].map(([, word]) => word ?? '');
  const known = new Set(
    rows.flatMap((row) => {
      const [, stages, reasons] = /`stage`:([^;]*); `reason`:(.*)\|/.exec(row) ?? [];
      return words(stages).flatMap((stage) => words(reasons).map((reason) => `${stage} ${reason}`));
    }),
  );
  if (known.size === 0) throw new Error('docs/metrics.md lists no reason of a dead letter');
  return { has: (stage, reason) => known.has(`${stage} ${reason}`) };
}

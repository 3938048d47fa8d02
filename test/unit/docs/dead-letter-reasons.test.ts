import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deadLetterReasons } from '#lib/contract';
import { alertsByReason, filesByReason } from '../../support/alerts-by-reason.ts';

const root = join(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

test.each(filesByReason)(
  'the alerts of %s select the reasons that the code has (`npm run docs:write` writes them anew)',
  (file) => {
    const rules = read(`deploy/prometheus/rules/${file}`);
    expect(rules).toContain('reason=~"');
    expect(rules).toBe(alertsByReason(file, rules));
  },
);

test.each(Object.keys(deadLetterReasons))('the runbook explains the reason %s', (reason) => {
  expect(read('docs/runbook.md')).toMatch(new RegExp(`\`${reason}\`|--reason ${reason}\\b`));
});

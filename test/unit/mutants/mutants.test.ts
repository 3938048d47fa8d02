import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '#deploy/local/paths.ts';
import { edited } from '../../faults/mutants/copied-tree.ts';
import { mutants } from '../../faults/mutants/mutants.ts';

const readSource = (file: string): string => readFileSync(join(root, file), 'utf8');

/** They are tried by hand (`make faults-mutants`); what they change is looked for here, so that they go along with the code. */
describe('the mutants', () => {
  it('have each a name of its own', () => {
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  });

  it.each(mutants.map((mutant) => [mutant.name, mutant] as const))('can be made: %s', (_name, { edits }) => {
    const texts = new Map(edits.map(({ file }) => [file, readSource(file)]));
    for (const edit of edits) texts.set(edit.file, edited(texts.get(edit.file) ?? '', edit));
    for (const [file, text] of texts) expect(text).not.toBe(readSource(file));
  });

  it('are tried with tests that are there', () => {
    const checks = mutants.flatMap(({ check }) => ('test' in check ? [check] : []));
    expect(checks.filter(({ test }) => !existsSync(join(root, test)))).toEqual([]);
    // The conformance of libs/kafka is in a folder of test/support, for whoever else implements its port.
    const parts = globSync('test/support/kafka-conformance/*.ts', { cwd: root });
    const sourceOf = (test: string): string =>
      [test, ...(test.endsWith('/conformance.night.test.ts') ? parts : [])].map(readSource).join('\n');
    expect(checks.filter(({ test, title, written = title }) => !sourceOf(test).includes(written))).toEqual([]);
  });
});

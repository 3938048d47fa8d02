import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '#deploy/local/paths.ts';
import { leaks } from '../../bench/soak/leaks.ts';
import { applyEdits, readSources } from '../../faults/mutants/edits/index.ts';
import { checksOf, lanes } from '../../faults/mutants/mutant.ts';
import { mutants } from '../../faults/mutants/mutants.ts';
import { tryEdits } from '../../faults/mutants/try-mutant.ts';

const sources = readSources(root);
const checks = checksOf(mutants);
/** Most defects must be found before a night has passed. */
const leastByDay = 140;

/** They are tried by hand (`make faults-mutants`) and by night; that they fit the code is checked here, so that they go along with it. */
describe('the mutants', () => {
  it('have each a name of its own', () => {
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  });

  it.each(mutants.map((mutant) => [mutant.name, mutant] as const))('can be made: %s', (_name, { edits }) => {
    expect(applyEdits(sources, edits).size).toBeGreaterThan(0);
  });

  it('are tried with tests that are there', () => {
    const tests = checks.flatMap(({ check }) => ('test' in check ? [check] : []));
    expect(tests.filter(({ test }) => !existsSync(join(root, test)))).toEqual([]);
    // The conformance of libs/kafka is in a folder of test/support, for whoever else implements its port.
    const parts = globSync('test/support/kafka-conformance/*.ts', { cwd: root });
    const sourceOf = (test: string): string =>
      [test, ...(test.endsWith('/conformance.night.test.ts') ? parts : [])]
        .map((file) => readFileSync(join(root, file), 'utf8'))
        .join('\n');
    expect(tests.filter(({ test, title, written = title }) => !sourceOf(test).includes(written))).toEqual([]);
  });

  it.each(lanes)('name for the %s what runs in that lane', (lane) => {
    const isByNight = ({ check }: (typeof checks)[number]): boolean =>
      'run' in check || check.test.endsWith('.night.test.ts');
    const ofLane = checks.filter((each) => each.lane === lane);
    expect(ofLane.filter((each) => isByNight(each) !== (lane === 'night'))).toEqual([]);
  });

  it('are nearly all seen by day', () => {
    expect(mutants.filter(({ byDay }) => byDay !== undefined).length).toBeGreaterThanOrEqual(leastByDay);
  });
});

it('a mutant that does not fit the code is no crash of the run: its trial tells why', async () => {
  const check = { test: 'test/unit/mutants/none.test.ts', title: 'none' };
  const trial = await tryEdits([{ in: 'judgeNoSuchRow', returns: '0' }], check, 1);

  expect(trial).toMatchObject({
    verdict: 'unclear',
    says: 'can’t be made: in judgeNoSuchRow: nothing is named "judgeNoSuchRow"',
  });
});

it.each(leaks.map((leak) => [leak.what, leak] as const))('the soak’s leak can be made: %s', (_what, { edit }) => {
  expect(applyEdits(sources, [edit]).size).toBe(1);
});

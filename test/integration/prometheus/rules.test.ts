import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { prometheusPrograms } from '../../support/prometheus-programs.ts';
import { alertsIn, differencesIn, hasty, silent } from './alert-mutants.ts';

jest.setTimeout(120_000);

const run = promisify(execFile);
const folder = resolve(import.meta.dirname, '../../../deploy/prometheus');
const ruleFiles = readdirSync(join(folder, 'rules'));
const alertFiles = ruleFiles.filter((file) => file !== 'recording.yml');

let promtool: string;
let copy: string;
beforeAll(async () => {
  ({ promtool } = await prometheusPrograms());
  copy = mkdtempSync(join(tmpdir(), 'hookline-rules-'));
  cpSync(folder, copy, { recursive: true });
}, 300_000);
afterAll(() => rmSync(copy, { recursive: true }));

/** @throws Error with what promtool says where it finds a fault */
const check = (args: readonly string[], cwd = folder): Promise<unknown> =>
  run(promtool, args, { cwd }).catch((error: Error & { stdout: string; stderr: string }) => {
    throw new Error(`promtool ${args.join(' ')}\n${error.stdout}${error.stderr}`);
  });

test('Prometheus takes the configuration, and the rules without a complaint', async () => {
  await check(['check', 'config', '--lint-fatal', 'prometheus.yml']);
});

test('each file of alerts has its tests', () => {
  expect(readdirSync(join(folder, 'tests'))).toEqual(alertFiles);
});

test.each(alertFiles)('the alerts of %s fire when they should, and not when they should not', async (file) => {
  await check(['test', 'rules', `tests/${file}`]);
});

describe.each(alertFiles)('each alert of %s has a scenario', (file) => {
  const rules = readFileSync(join(folder, 'rules', file), 'utf8');
  const alerts = alertsIn(rules);

  /** How the scenarios come out with other rules. */
  async function differencesWith(changed: string) {
    writeFileSync(join(copy, 'rules', file), changed);
    await check(['check', 'rules', `rules/${file}`], copy);
    const failure: unknown = await check(['test', 'rules', `tests/${file}`], copy).catch((error: unknown) => error);
    return differencesIn((failure as Partial<Error>).message ?? '');
  }

  test('in which it fires', async () => {
    const missed = (await differencesWith(silent(rules))).flatMap(({ expected }) => expected);
    expect([...new Set(missed)].sort()).toEqual([...alerts].sort());
  });

  test('that is a near miss: with what it asks for, and in which it would fire without its threshold and its time to wait', async () => {
    const untimely = (await differencesWith(hasty(rules))).flatMap(({ expected, fired }) =>
      fired.filter((alert) => !expected.includes(alert)),
    );
    expect([...new Set(untimely)].sort()).toEqual([...alerts].sort());
  });
});

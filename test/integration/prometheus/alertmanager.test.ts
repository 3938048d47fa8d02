import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { prometheusPrograms } from '../../support/prometheus-programs.ts';
import { alertsIn } from './alert-mutants.ts';

const run = promisify(execFile);
const folder = resolve(import.meta.dirname, '../../../deploy/prometheus');
const example = join(folder, 'alertmanager.example.yml');
const rules = readdirSync(join(folder, 'rules')).map((file) => readFileSync(join(folder, 'rules', file), 'utf8'));

let amtool: string;
beforeAll(async () => void ({ amtool } = await prometheusPrograms()));

test('Alertmanager takes the example', async () => {
  const { stdout } = await run(amtool, ['check-config', example]);
  expect(stdout).toContain('SUCCESS');
});

test.each([
  ['critical', 'on-call'],
  ['warning', 'chat'],
  ['info', 'nobody'],
])('what is %s goes to %s', async (severity, receiver) => {
  const { stdout } = await run(amtool, [
    ...['config', 'routes', 'test', `--config.file=${example}`],
    ...[`--verify.receivers=${receiver}`, 'alertname=HooklineAny', `severity=${severity}`],
  ]);
  expect(stdout.trim()).toBe(receiver);
});

test('every severity of a rule is one of those', () => {
  const severities = rules.flatMap((text) => [...text.matchAll(/severity: (\w+)/g)].map(([, severity]) => severity));
  expect([...new Set(severities)].sort()).toEqual(['critical', 'info', 'warning']);
});

test('every name by which one alert silences others is that of an alert', () => {
  const known = rules.flatMap(alertsIn);
  const patterns = [...readFileSync(example, 'utf8').matchAll(/alertname=~?"([^"]+)"/g)].flatMap(([, names = '']) =>
    names.split('|'),
  );
  expect(patterns.length).toBeGreaterThan(10);
  const unknown = patterns.filter((pattern) => !known.some((name) => new RegExp(`^(?:${pattern})$`).test(name)));
  expect(unknown).toEqual([]);
});

import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { prometheusPrograms } from '../../support/prometheus-programs.ts';
import { alertsIn, differencesIn, hasty, silent } from './alert-mutants.ts';

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
});
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

const alertText = (alert: string, annotation: string): string => {
  const { groups } = parse(readFileSync(join(folder, 'rules/services.yml'), 'utf8')) as {
    groups: { rules: { alert: string; annotations: Record<string, string> }[] }[];
  };
  return groups.flatMap(({ rules }) => rules).find((rule) => rule.alert === alert)?.annotations[annotation] ?? '';
};

/** One alert of one installation of two, as Alertmanager gets it. */
const oneOfTwo = (externalLabels: object, runbookUrl: string): string =>
  JSON.stringify({
    rule_files: ['../rules/services.yml'],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        external_labels: externalLabels,
        input_series: ['a', 'b'].flatMap((namespace) => [
          {
            series: `hookline_dependency_up{job="hookline-api", dependency="kafka", namespace="${namespace}", cluster="c"}`,
            values: namespace === 'a' ? '0x9' : '1x9',
          },
        ]),
        alert_rule_test: [
          {
            eval_time: '5m',
            alertname: 'HooklineKafkaAway',
            exp_alerts: [
              {
                exp_labels: { severity: 'critical', cluster: 'c', namespace: 'a', job: 'hookline-api' },
                exp_annotations: {
                  summary: 'hookline-api cannot reach Kafka',
                  description: alertText('HooklineKafkaAway', 'description').replaceAll(
                    '{{ $labels.job }}',
                    'hookline-api',
                  ),
                  runbook_url: `${runbookUrl}#hooklinekafkaaway`,
                },
              },
            ],
          },
        ],
      },
    ],
  });

test.each([
  { what: 'as it is in the project', labels: {}, url: 'docs/runbook.md' },
  {
    what: 'absolute by the external label',
    labels: { runbook_base: 'https://example.com/runbook' },
    url: 'https://example.com/runbook',
  },
])('an alert is that of its installation alone, and its runbook is $what', async ({ labels, url }) => {
  const file = join(copy, 'tests', 'one-of-two.json');
  writeFileSync(file, oneOfTwo(labels, url));
  await check(['test', 'rules', file], copy);
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

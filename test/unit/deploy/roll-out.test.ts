import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const script = join(import.meta.dirname, '../../../deploy/k8s/roll-out.sh');

/** Replaces kubectl: renders two lines, records its calls, and fails on demand. */
const kubectl = `#!/bin/sh
case "$*" in *" kustomize "*) printf "kind: Kafka\\n  name: $DEPLOYMENT\\n    hookline/step: scaling\\n    hookline/secrets: unknown\\n"; exit 0 ;; esac
case "$*" in *" get secret "*) printf 4711 ;; esac
case "$*" in *" apply "*"component=console"*) sed -n '/secrets/p' "$(echo "$*" | sed 's/.*--filename \\([^ ]*\\).*/\\1/')" > "$0.applied" ;; esac
echo "$*" >> "$0.calls"
case "$*" in *"$FAILING"*) exit 1 ;; esac
`;

describe('a roll-out', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'hookline-roll-out-'));
    writeFileSync(join(dir, 'kubectl'), kubectl, { mode: 0o755 });
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const rollOut = (failing: string, deployment = 'hookline-ingress') =>
    run(script, ['overlay', '--context=test'], {
      env: {
        ...process.env,
        PATH: `${dir}${delimiter}${process.env.PATH ?? ''}`,
        FAILING: failing,
        DEPLOYMENT: deployment,
      },
    });
  /** The verb of each call, and the selector or the last word. */
  const steps = (): string[] => {
    const calls = join(dir, 'kubectl.calls');
    if (!existsSync(calls)) return [];
    return readFileSync(calls, 'utf8')
      .trim()
      .split('\n')
      .map((call) => {
        const [, verb = '', rest = ''] = /^--context=test (\S+) (.*)$/.exec(call) ?? [];
        return `${verb} ${/--selector (.*?)(?: --|$)/.exec(rest)?.[1] ?? rest.split(' ').at(-1) ?? ''}`;
      });
  };
  const before = [
    'apply hookline/step notin (setup, service, scaling)',
    'wait kafka/hookline',
    'get hookline-secrets',
    'delete hookline/step=setup',
    'apply hookline/step=setup',
    'wait job/hookline-setup',
  ];

  test('goes from the stores by the migrations to the services, readers before writers, and ends with the scalers', async () => {
    await rollOut('nothing fails');
    expect(steps()).toEqual([
      ...before,
      ...['projector', 'dispatcher', 'dedup', 'api', 'ingress', 'console'].flatMap((service) => [
        `apply hookline/step=service, app.kubernetes.io/component=${service}`,
        `rollout deployment/hookline-${service}`,
      ]),
      'apply hookline/step=scaling',
    ]);
    // Another Secret makes other pods.
    expect(readFileSync(join(dir, 'kubectl.applied'), 'utf8').trim()).toBe("hookline/secrets: 'version-4711'");
  });

  test('of all services in one process has one step for them', async () => {
    await rollOut('nothing fails', 'hookline-serve');
    expect(steps()).toEqual([
      ...before,
      'apply hookline/step=service, app.kubernetes.io/component=serve',
      'rollout deployment/hookline-serve',
      'apply hookline/step=scaling',
    ]);
  });

  test('changes no service where the migrations fail', async () => {
    await expect(rollOut('job/hookline-setup')).rejects.toMatchObject({ code: 1 });
    expect(steps()).toEqual([...before, 'logs job/hookline-setup']);
  });

  test('goes no further than the service that does not become ready', async () => {
    await expect(rollOut('deployment/hookline-dispatcher')).rejects.toMatchObject({ code: 1 });
    expect(steps().at(-1)).toBe('rollout deployment/hookline-dispatcher');
  });
});

/**
 * `make images-check`: the images of docker-compose.yml, started as people start them: the smoke test, the tests with servers in containers,
 * and the data of every panel in Grafana. Needs a Docker engine that can pull images, and a checkout whose stack is down. Exits with 1 where
 * something does not hold; takes its containers and their data away.
 *
 *   ARGS='--only panels'   one of stack, panels, tests
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { monitoringAt } from '#deploy/docker/compose-environment.ts';
import { runCommand, say } from '#deploy/local/command.ts';
import { StackError } from '#deploy/local/failure.ts';
import { readKeyValueFile } from '#deploy/local/key-value-file.ts';
import { root, stackFiles } from '#deploy/local/paths.ts';
import { keptPortOffset } from '#deploy/local/stack/stack.ts';
import { prepareLoad } from '../e2e/dashboards-load.ts';
import { startReceiver } from '../support/receiver.ts';
import { readLocalStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type PanelTrouble, panelsOf, troubleOfPanels } from './panels.ts';

/** Rates over five minutes need a while, and Prometheus looks every 15 s. */
const shownWithinMs = 240_000;
/** With these the servers of the tests are containers, by testcontainers. */
const testsWithServers = [
  'test/integration/kafka/topics.test.ts',
  'test/integration/dedup/dedup-store.test.ts',
  'test/e2e/smoke.test.ts',
  'test/e2e/publishing.test.ts',
  'test/e2e/lifecycle.test.ts',
];

const steps: Readonly<Record<string, () => Promise<void>>> = {
  // `make up` ends with the smoke test.
  stack: () => run('make', ['up']),
  panels: checkPanels,
  tests: () =>
    run(process.execPath, [
      'node_modules/jest/bin/jest.js',
      ...['--selectProjects', 'integration', 'e2e', '--runTestsByPath'],
      ...testsWithServers,
    ]),
};

await runCommand(async () => {
  const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });
  const wanted = values.only === '' ? Object.keys(steps) : values.only.split(',');
  const unknown = wanted.filter((name) => !(name in steps));
  if (unknown.length > 0)
    throw new StackError(`there is no step ${unknown.join(', ')}; there are ${Object.keys(steps).join(', ')}`);
  if (wanted.includes('stack') && existsSync(stackFiles.localEnv))
    throw new StackError('the stack of this checkout is up or has data, which would be removed at the end: make clean');
  try {
    for (const name of wanted) {
      await steps[name]?.();
      say(`${name}: holds`);
    }
  } finally {
    if (wanted.includes('stack')) await run('make', ['clean']);
  }
});

/** @throws StackError that names every panel without data, and every query that has failed */
async function checkPanels(): Promise<void> {
  const env = readKeyValueFile(stackFiles.localEnv) ?? {};
  const { HOOKLINE_RECEIVER_HOST: host = '', HOOKLINE_RECEIVER_LISTEN_ON: listenOn = '' } = env;
  const grafanaUrl = `http://127.0.0.1:${monitoringAt(keptPortOffset() ?? 0).grafana}`;
  const panels = await panelsOf(grafanaUrl);
  if (panels.length === 0) throw new StackError('Grafana has no dashboards');
  const receiver = await startReceiver({ host, listenOn });
  const loadEnds = new AbortController();
  const load = (
    await prepareLoad(readLocalStack(stackFiles.localEnv), receiver, env['HOOKLINE_CONSOLE_URL'] ?? '')
  ).run(loadEnds.signal);
  load.catch(() => undefined);
  let troubles: readonly PanelTrouble[] = [];
  try {
    await waitUntil(
      'every panel has data',
      async () => (troubles = await troubleOfPanels(grafanaUrl, panels)).length === 0,
      { timeoutMs: shownWithinMs, everyMs: 10_000 },
    ).catch(() => undefined);
  } finally {
    loadEnds.abort();
    await load;
    await receiver.stop();
  }
  say(`${panels.length} panels, ${panels.length - new Set(troubles.map(({ panel }) => panel)).size} with data`);
  if (troubles.length > 0)
    throw new StackError(troubles.map(({ panel, trouble }) => `${panel}: ${trouble}`).join('\n'));
}

async function run(command: string, args: readonly string[]): Promise<void> {
  say(`${command} ${args.join(' ')}`);
  const child = spawn(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, STACK: 'containers' } });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new StackError(`${command} ${args.join(' ')} has failed`);
}

/** `make down`: stops all running parts of the stack. `--clean` (`make clean`) also removes all its files except downloads. */
import { readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createCompose } from '../docker/compose.ts';
import { engineTrouble } from '../docker/engine.ts';
import { runCommand, say } from './command.ts';
import { hooklineDir, jarsDir, stackFiles } from './paths.ts';
import { withLock } from './processes/lock.ts';
import { createProcesses } from './processes/processes.ts';
import { removePostgresHome } from './servers/postgres-home.ts';
import { keptProcessMode } from './stack/process-mode.ts';
import { keptPortOffset, stackProcesses, stopStack } from './stack/stack.ts';
import { runningStack } from './stack/stack-kind.ts';
import { stopEverything } from './stack/stop-everything.ts';

async function down(isClean = false): Promise<void> {
  const running = runningStack();
  if (running?.kind === 'containers' || (isClean && (await engineTrouble()) === undefined))
    await createCompose(keptPortOffset() ?? 0, keptProcessMode()).down(isClean);
  await stopStack(stackProcesses());
  rmSync(stackFiles.localEnv, { force: true });
  say(running === undefined ? 'nothing was running' : `stopped ${running.names.join(', ')}`);
}

async function clean(): Promise<void> {
  await down(true);
  removePostgresHome(stackFiles.dir);
  const kept = new Set([jarsDir, stackFiles.lock, stackFiles.installLock].map((path) => basename(path)));
  for (const entry of readdirSync(hooklineDir, { withFileTypes: true })) {
    const path = join(hooklineDir, entry.name);
    // A file of this name holds what the tests took.
    if (entry.isDirectory() && entry.name.startsWith('test-')) await removeLeftTest(path);
    else if (!kept.has(entry.name)) rmSync(path, { recursive: true, force: true });
  }
  say('removed all data (what was downloaded is kept in .hookline/lib)');
}

/** Ends what a killed test run has left, if the process that cleans up behind it was killed too. A test run under way is left alone. */
async function removeLeftTest(dir: string): Promise<void> {
  const processes = createProcesses({ run: join(dir, 'run'), log: join(dir, 'log') });
  if (processes.pid('holder') !== undefined) return;
  await stopEverything(processes);
  removePostgresHome(dir);
  rmSync(dir, { recursive: true, force: true });
}

await runCommand(() =>
  withLock(stackFiles.lock, 'make down', process.argv.includes('--clean') ? clean : () => down(), {
    onWait: (holder) => say(`waiting for ${holder} to end`),
  }),
);

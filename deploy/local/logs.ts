/** `make logs`: the last lines of every log, or of the named ones, with their process's name; `--follow` continues. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createCompose } from '../docker/compose.ts';
import { runCommand, say } from './command.ts';
import { StackError } from './failure.ts';
import { hostOf, keptProcessMode } from './stack/process-mode.ts';
import { keptPortOffset, logsIn, stackProcesses } from './stack/stack.ts';
import { runningStack } from './stack/stack-kind.ts';

const shown = 100;

await runCommand(async () => {
  const running = runningStack();
  const follow = process.argv.includes('--follow');
  const processes = stackProcesses();
  const known = running?.kind === 'containers' ? running.names : logsIn();
  const mode = keptProcessMode();
  const given = process.argv.slice(2).filter((word) => word !== '--follow');
  const asked = [...new Set(given.map((name) => hostOf(name, mode)))];
  for (const name of asked)
    if (!known.includes(name))
      throw new StackError(`there is no log of ${name}; there are: ${known.join(', ') || 'none'}`);
  const names = asked.length > 0 ? asked : known;
  if (running?.kind === 'containers') {
    await createCompose(keptPortOffset() ?? 0, mode).showLogs({ names, count: shown, follow });
    return;
  }
  if (follow && names.length > 0) {
    const files = names.map((name) => processes.logFile(name));
    await once(spawn('tail', ['-n', String(shown), '-F', ...files], { stdio: 'inherit' }), 'exit');
    return;
  }
  for (const name of names) for (const line of processes.lastLogLines(name, shown)) say(`${name.padEnd(10)} | ${line}`);
});

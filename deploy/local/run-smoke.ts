/** `make smoke`: one webhook through the stack that runs. */
import { runCommand, say } from './command.ts';
import { StackError } from './failure.ts';
import { readKeyValueFile } from './key-value-file.ts';
import { withLock } from './lock.ts';
import { stackFiles } from './paths.ts';
import { portsAt } from './ports.ts';
import type { Processes } from './processes.ts';
import { topicPrefix } from './services.ts';
import { smoke } from './smoke.ts';
import { keptPortOffset, stackProcesses } from './stack.ts';

/** @param timeoutMs for each stage */
export async function runSmoke(processes: Processes, timeoutMs: number): Promise<void> {
  const env = readKeyValueFile(stackFiles.localEnv);
  if (env === undefined) throw new StackError('the stack is not up: make up');
  const ports = portsAt(keptPortOffset() ?? 0);
  await withLock(stackFiles.smokeLock, 'make smoke', () =>
    smoke({
      apiUrl: env.HOOKLINE_API_URL ?? '',
      adminKey: env.HOOKLINE_ADMIN_KEY ?? '',
      kafkaPort: ports.kafka,
      topicPrefix,
      receiverPort: ports.smokeReceiver,
      stateFile: stackFiles.smoke,
      processes,
      timeoutMs,
      say,
    }),
  );
}

if (import.meta.main)
  await runCommand(async () => {
    await runSmoke(stackProcesses(), 30_000);
    say('it arrived');
  });

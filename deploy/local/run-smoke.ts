/** `make smoke`: one webhook through the stack that runs. */
import { systemClock } from '#lib/runtime';
import { createCompose } from '../docker/compose.ts';
import { runCommand, say } from './command.ts';
import { StackError } from './failure.ts';
import { readKeyValueFile } from './key-value-file.ts';
import { stackFiles } from './paths.ts';
import { withLock } from './processes/lock.ts';
import { pageOf, smoke, type SmokeEvent } from './smoke/smoke.ts';
import { receiverSeenFromContainers } from './stack/container-stack.ts';
import { portsAt } from './stack/ports.ts';
import { byPart, keptProcessMode } from './stack/process-mode.ts';
import { topicPrefix } from './stack/services.ts';
import { keptPortOffset, nativeReceiver, type RunningStack, stackProcesses, supervisorName } from './stack/stack.ts';
import { runningStack } from './stack/stack-kind.ts';
import { describeRestarts, takeRestarts } from './supervise/restarts.ts';

/** @param timeoutMs for each stage @returns the event of its webhook */
export async function runSmoke(
  { processes, receiver }: Pick<RunningStack, 'processes' | 'receiver'>,
  timeoutMs: number,
): Promise<SmokeEvent> {
  const env = readKeyValueFile(stackFiles.localEnv);
  if (env === undefined) throw new StackError('the stack is not up: make up');
  const ports = portsAt(keptPortOffset() ?? 0);
  return withLock(stackFiles.smokeLock, 'make smoke', () =>
    smoke({
      apiUrl: env.HOOKLINE_API_URL ?? '',
      adminKey: env.HOOKLINE_ADMIN_KEY ?? '',
      kafkaPort: ports.kafka,
      topicPrefix,
      receiverPort: ports.smokeReceiver,
      stateFile: stackFiles.smoke,
      processes,
      receiver,
      timeoutMs,
      say,
    }),
  );
}

async function partsOfRunning(): Promise<Pick<RunningStack, 'processes' | 'receiver'>> {
  const mode = keptProcessMode();
  if (runningStack()?.kind !== 'containers')
    return { processes: byPart(stackProcesses(), mode), receiver: nativeReceiver };
  const compose = createCompose(keptPortOffset() ?? 0, mode);
  return { processes: byPart(compose, mode), receiver: await receiverSeenFromContainers(compose, mode) };
}

/** Processes that ended since the last smoke; without a supervisor nothing starts them again. */
function sayRestarts(): void {
  for (const line of describeRestarts(takeRestarts(stackFiles.restarts), systemClock.nowMs())) say(line);
  const running = runningStack();
  if (running?.kind === 'native' && !running.names.includes(supervisorName))
    say('the supervisor does not run: what ends stays ended (make up starts it)');
}

if (import.meta.main)
  await runCommand(async () => {
    sayRestarts();
    const event = await runSmoke(await partsOfRunning(), 30_000);
    say(`it arrived: ./hookline console --to ${pageOf(event)}`);
  });

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Order, Told } from './attacker-process.ts';

/** The attacker from outside. It ends with this process. */
export interface AttackerProcess {
  readonly pid: number;
  obey(order: Order): Promise<Told>;
  stop(): void;
}

export async function startAttacker(): Promise<AttackerProcess> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'attacker-process.ts'));
  const answer = async (): Promise<Told> => {
    const [message] = (await once(child, 'message')) as [{ told: Told } | { failed: string }];
    if ('failed' in message) throw new Error(message.failed);
    return message.told;
  };
  await answer();
  const { pid } = child;
  if (pid === undefined) throw new Error('the attacker could not be started');
  return {
    pid,
    async obey(order) {
      child.send(order);
      return answer();
    },
    stop: () => void child.kill(),
  };
}

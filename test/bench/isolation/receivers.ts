import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Arrivals, Behaviour, Order } from './receiver-process.ts';

export interface BenchReceiver {
  url(name: string): string;
  behave(behaviour: Behaviour): Promise<void>;
  arrivals(): Promise<Arrivals>;
  stop(): void;
}

const program = join(import.meta.dirname, 'receiver-process.ts');

/** Ends with this process: its channel closes then. */
export async function startBenchReceiver(latencyMs: number): Promise<BenchReceiver> {
  const child: ChildProcess = fork(program, [String(latencyMs)]);
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  const ask = async (order: Order): Promise<unknown> => {
    child.send(order);
    const [answer] = (await once(child, 'message')) as [unknown];
    return answer;
  };
  return {
    url: (name) => `http://127.0.0.1:${port}/${name}`,
    async behave(behaviour) {
      await ask({ behave: behaviour });
    },
    arrivals: async () => (await ask('report')) as Arrivals,
    stop: () => void child.kill(),
  };
}

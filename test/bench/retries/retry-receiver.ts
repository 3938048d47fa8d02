import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Arrivals, ReceiverOrder } from './retry-receiver-process.ts';

export interface RetryReceiver {
  url: string;
  taken(phase: string): Promise<number>;
  arrivals(phase: string): Promise<Arrivals>;
  stop(): void;
}

const program = join(import.meta.dirname, 'retry-receiver-process.ts');

/** Ends with this process: its channel closes then. */
export async function startRetryReceiver(refusals: number, waitMs: number): Promise<RetryReceiver> {
  const child = fork(program, [String(refusals), String(waitMs)]);
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  const ask = async (order: ReceiverOrder): Promise<Arrivals> => {
    child.send(order);
    const [answer] = (await once(child, 'message')) as [Arrivals];
    return answer;
  };
  return {
    url: `http://127.0.0.1:${port}/`,
    taken: async (phase) => (await ask({ phase, all: false })).taken,
    arrivals: (phase) => ask({ phase, all: true }),
    stop: () => void child.kill(),
  };
}

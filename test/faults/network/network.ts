import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { LoopDelay } from '../../support/loop-delay.ts';
import type { LinkFault } from './link-fault.ts';

/** Links by name; each forwards its own port to a process. */
export interface Network {
  /** @returns the port of a new link to this one */
  open(link: string, target: number): Promise<number>;
  /** How the link behaves from now on; undefined: as it should. */
  set(link: string, fault: LinkFault | undefined): Promise<void>;
  /** How late the proxies were so far beyond what they were told to be. */
  loopDelay(): Promise<LoopDelay>;
  close(): Promise<void>;
}

type Question =
  | { kind: 'open'; link: string; target: number }
  | { kind: 'set'; link: string; fault?: LinkFault }
  | { kind: 'loop-delay' };

export type ProxyRequest = { id: number } & Question;

export interface ProxyAnswer {
  id: number;
  port?: number;
  loopDelay?: LoopDelay;
  error?: string;
}

/** @param seed of the proxies' own random numbers: what differs from piece to piece */
export function startNetwork(seed: number): Network {
  const child: ChildProcess = fork(fileURLToPath(new URL('proxy-process.ts', import.meta.url)), [String(seed)], {
    execArgv: [],
  });
  const open = new Map<number, PromiseWithResolvers<ProxyAnswer>>();
  let last = 0;
  child.on('message', (answer: ProxyAnswer) => {
    const asked = open.get(answer.id);
    open.delete(answer.id);
    if (answer.error === undefined) asked?.resolve(answer);
    else asked?.reject(new Error(answer.error));
  });
  child.on('exit', () => open.forEach(({ reject }) => reject(new Error('the proxies have ended'))));

  const ask = (question: Question): Promise<ProxyAnswer> => {
    const asked = Promise.withResolvers<ProxyAnswer>();
    const id = (last += 1);
    open.set(id, asked);
    child.send({ id, ...question }, (error) => {
      if (error !== null) asked.reject(error);
    });
    return asked.promise;
  };
  return {
    async open(link, target) {
      const { port = 0 } = await ask({ kind: 'open', link, target });
      return port;
    },
    set: async (link, fault) => void (await ask({ kind: 'set', link, ...(fault && { fault }) })),
    async loopDelay() {
      const { loopDelay = { p99: 0, max: 0 } } = await ask({ kind: 'loop-delay' });
      return loopDelay;
    },
    async close() {
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { FromTraffic, Outstanding, ToTraffic, TrafficJob, TrafficRecord, WaitLimits } from './job.ts';

/** Sender and receiver, in a process of their own. */
export interface Traffic {
  readonly pid: number;
  /** Ports of its endpoints. */
  readonly ports: readonly number[];
  /** Resolves when the requests of an open loop are prepared; this time is not measured. */
  prepare(job: TrafficJob): Promise<void>;
  /** Resolves when every event was acknowledged or given up. Calls `onReached` once, at the job's `tellAfter`. */
  publish(onReached?: () => void): Promise<void>;
  /** Resolves when all that was acknowledged has arrived, or at one of the limits. */
  drain(limits: WaitLimits): Promise<TrafficRecord>;
  /** Waits for what earlier runs have left outstanding. @returns what has not arrived even then */
  settle(limits: WaitLimits): Promise<Outstanding>;
  stop(): void;
}

const program = join(import.meta.dirname, 'process.ts');
/** Fewer threads to wake for a few events. */
const execArgv = ['--single-threaded'];

export async function startTraffic(): Promise<Traffic> {
  const child = fork(program, { execArgv, serialization: 'advanced' });
  const answers = createAnswers(child);
  const tell = (message: ToTraffic): void => void child.send(message);
  const { ports } = await answers.next('ready');
  return {
    pid: child.pid ?? 0,
    ports,
    async prepare(job) {
      tell({ kind: 'prepare', job });
      await answers.next('prepared');
    },
    async publish(onReached) {
      tell({ kind: 'publish' });
      if (onReached !== undefined) void answers.next('reached').then(onReached, () => undefined);
      await answers.next('published');
    },
    async drain(limits) {
      tell({ kind: 'drain', ...limits });
      return (await answers.next('drained')).record;
    },
    async settle(limits) {
      tell({ kind: 'settle', ...limits });
      return (await answers.next('settled')).outstanding;
    },
    stop: () => void child.kill(),
  };
}

type Kind = FromTraffic['kind'];

/** If the child ends, pending answers fail. */
function createAnswers(child: ReturnType<typeof fork>) {
  const waiting = new Map<Kind, PromiseWithResolvers<FromTraffic>>();
  child.on('message', (message: FromTraffic) => {
    waiting.get(message.kind)?.resolve(message);
    waiting.delete(message.kind);
  });
  child.once('exit', (code, signal) => {
    for (const { reject } of waiting.values()) reject(new Error(`sender and receiver ended with ${code ?? signal}`));
  });
  return {
    next<K extends Kind>(kind: K): Promise<Extract<FromTraffic, { kind: K }>> {
      const next = Promise.withResolvers<FromTraffic>();
      waiting.set(kind, next);
      return next.promise as Promise<Extract<FromTraffic, { kind: K }>>;
    },
  };
}

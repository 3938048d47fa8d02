/**
 * A thread that does one job at a time and is ended by a job that goes beyond its limits: of processor time (processor-limit.ts) or of memory. The next
 * job starts another thread. Nothing is started before the first job.
 */
import { Worker } from 'node:worker_threads';
import type { Logger } from '#lib/runtime';
import { type Exceeded, limitProcessorTime } from './processor-limit.ts';

export interface Job {
  id: number;
}

/** `processorMs`: the thread's processor time so far, in all. */
export interface JobAnswer {
  id: number;
  processorMs: number;
}

/** The thread's word that it can begin. */
export type Ready = { kind: 'ready'; processorMs: number };

/** `failed`: the thread did not start, or ended by itself. `ended`: whoever asked has ended it. */
export type Unanswered = Exceeded | 'out_of_memory' | 'failed' | 'ended';

export interface EndedThread<Request extends object, Answer extends JobAnswer> {
  /**
   * One message to the thread and its answer. Only one is asked at a time.
   *
   * @param transfer buffers that the thread gets, and this one loses
   * @returns what it took of a processor, in ms, with what a thread costs that the job has ended
   */
  ask(
    request: Request,
    limits: { limitMs: number; signal?: AbortSignal | undefined; transfer?: readonly ArrayBuffer[] },
  ): Promise<{ answer: Answer | Unanswered; spentMs: number }>;
  /** Ends the thread; the next job starts another. */
  end(): Promise<void>;
}

interface Options {
  file: URL;
  /** The limit of its heap. */
  maxMegabytes: number;
  /** For the line that tells that it failed. */
  name: string;
  log: Logger;
}

interface Started {
  thread: Worker;
  ready: Promise<boolean>;
  processorMs: number;
}

/** Loading the validator, on a busy machine. */
const startMs = 10_000;
/** A job is charged this, beside its limit, for a thread that it has ended. */
const restartMs = 500;

export function createEndedThread<Request extends object, Answer extends JobAnswer>({
  file,
  maxMegabytes,
  name,
  log,
}: Options): EndedThread<Request, Answer> {
  let worker: Started | undefined;
  let settle: ((answer: Answer | Unanswered) => void) | undefined;
  let lastId = 0;

  function start(): Started {
    const thread = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: maxMegabytes }, env: {} });
    const { promise: ready, resolve } = Promise.withResolvers<boolean>();
    const tooLate = setTimeout(() => resolve(false), startMs).unref();
    const started: Started = { thread, ready, processorMs: 0 };
    const isCurrent = (): boolean => worker?.thread === thread;
    const fail = (why: Unanswered): void => {
      clearTimeout(tooLate);
      resolve(false);
      if (isCurrent()) settle?.(why);
    };
    thread.on('message', (message: Answer | Ready) => {
      started.processorMs = message.processorMs;
      if ('kind' in message && message.kind === 'ready') resolve(true);
      else if (isCurrent()) settle?.(message as Answer);
    });
    thread.on('error', (error: Error & { code?: string }) => {
      const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      log.warn({ event: 'schema_check.thread_failed', thread: name, err: error });
      fail(isMemory ? 'out_of_memory' : 'failed');
    });
    thread.on('exit', () => {
      fail('failed');
      if (isCurrent()) worker = undefined;
    });
    thread.unref();
    return started;
  }

  async function end(): Promise<void> {
    const ending = worker;
    worker = undefined;
    await ending?.thread.terminate();
  }

  return {
    end,
    async ask(request, { limitMs, signal, transfer = [] }) {
      if (hasEnded(signal)) return { answer: 'ended', spentMs: 0 };
      const started = (worker ??= start());
      const { thread, ready } = started;
      const isReady = await ready;
      // Nothing was begun: the thread is as good for the next job.
      if (hasEnded(signal)) return { answer: 'ended', spentMs: 0 };
      if (!isReady) {
        void end();
        return { answer: 'failed', spentMs: restartMs };
      }
      const id = (lastId += 1);
      const { promise, resolve } = Promise.withResolvers<Answer | Unanswered>();
      settle = (answer) => {
        if (typeof answer === 'string' || answer.id === id) resolve(answer);
      };
      const sinceMs = started.processorMs;
      const stopWatching = limitProcessorTime({
        thread,
        sinceMs,
        limitMs,
        // An answer that is there already counts, if this process had no time to read it.
        onExceeded: (exceeded) => setImmediate(() => setImmediate(() => resolve(exceeded))),
      });
      const abort = (): void => resolve('ended');
      signal?.addEventListener('abort', abort, { once: true });
      thread.postMessage({ ...request, id }, transfer);
      const answer = await promise;
      stopWatching();
      signal?.removeEventListener('abort', abort);
      settle = undefined;
      if (typeof answer !== 'string') return { answer, spentMs: answer.processorMs - sinceMs };
      void end();
      return { answer, spentMs: limitMs + restartMs };
    },
  };
}

/** It may have changed since it was last asked. */
const hasEnded = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;

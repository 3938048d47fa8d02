import { Worker } from 'node:worker_threads';
import type { PostgresAccess } from '#lib/postgres';
import { AppError, createPart, type Logger, type Part } from '#lib/runtime';
import { maxSearches } from '../http/api-limits.ts';
import type { SearchAnswer, SearchRequest, WorkerOptions } from './messages.ts';
import { type SearchAsked, type SearchLimits, searchLimits } from './search-payloads.ts';

type Answered = { body: string } | 'busy';

export interface EventSearch {
  /**
   * Searches in a thread of its own.
   *
   * @param places searches that the tenant may have at a time, all processes together
   * @param signal aborts when nobody waits for the answer: the search ends, and its place is free
   * @returns the found as JSON text; `busy`: the tenant has that many; `full`: this process has as many as it can
   * @throws AppError store_unavailable, stopped
   */
  search(asked: SearchAsked, places: number, signal: AbortSignal): Promise<Answered | 'full'>;
  /** How many run in this process, of all tenants. */
  running(): number;
}

interface Options {
  database: PostgresAccess;
  /** The process's name. */
  name: string;
  log: Logger;
  limits?: SearchLimits;
}

/** An idle thread ends after this time: it takes some 50 MB. */
const idleMs = 60_000;
const maxOldGenerationSizeMb = 256;

interface Pending {
  resolve(answered: Answered): void;
  reject(error: AppError): void;
}

export function createEventSearch({ database, name, log, limits = searchLimits }: Options): EventSearch & Part {
  const pending = new Map<number, Pending>();
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let lastId = 0;
  let isStopped = false;

  function start(): Worker {
    const applicationName = `${name}-search`;
    const workerData: WorkerOptions = { database, applicationName, maxConnections: maxSearches, limits };
    const started = new Worker(new URL('./search-worker.ts', import.meta.url), {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb },
    });
    started.on('message', (answer: SearchAnswer) => settle(answer));
    started.on('error', (err) => {
      log.error({ event: 'search.worker_failed', err });
      end(started, new AppError('store_unavailable', 'the searching thread failed'));
    });
    started.on('exit', () => end(started, new AppError('stopped', 'the searching thread was stopped')));
    started.unref();
    return started;
  }

  function settle(answer: SearchAnswer): void {
    const asking = pending.get(answer.id);
    pending.delete(answer.id);
    if (answer.kind === 'found') asking?.resolve({ body: answer.body });
    else if (answer.kind === 'busy') asking?.resolve('busy');
    else asking?.reject(new AppError(answer.code, answer.message));
    if (pending.size === 0 && !isStopped) idle = setTimeout(endIdle, idleMs).unref();
  }

  function endIdle(): void {
    const ending = worker;
    worker = undefined;
    void ending?.terminate();
  }

  /** The next search starts another. */
  function end(ended: Worker, error: AppError): void {
    if (worker !== ended) return;
    worker = undefined;
    for (const { reject } of pending.values()) reject(error);
    pending.clear();
  }

  const part = createPart(
    'event search',
    async () => undefined,
    async () => {
      isStopped = true;
      clearTimeout(idle);
      await worker?.terminate();
    },
  );

  return {
    ...part,
    running: () => pending.size,
    async search(asked, places, signal) {
      if (isStopped) throw new AppError('stopped', 'the search has been stopped');
      if (pending.size >= maxSearches) return 'full';
      clearTimeout(idle);
      worker ??= start();
      const id = (lastId += 1);
      const { promise, resolve, reject } = Promise.withResolvers<Answered>();
      pending.set(id, { resolve, reject });
      const searching = worker;
      searching.postMessage({ kind: 'search', id, asked, places } satisfies SearchRequest);
      const leave = (): void => searching.postMessage({ kind: 'leave', id } satisfies SearchRequest);
      if (signal.aborted) leave();
      else signal.addEventListener('abort', leave, { once: true });
      return promise.finally(() => signal.removeEventListener('abort', leave));
    },
  };
}

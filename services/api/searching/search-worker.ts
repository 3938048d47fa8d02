/** A thread that searches payloads, so that reading, parsing and matching them delays no request: event-search.ts starts it. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { parentPort, workerData } from 'node:worker_threads';
import { createMatchTurns } from '#lib/event-filter';
import { createPostgres } from '#lib/postgres';
import { silentLogger, systemClock, toAppError } from '#lib/runtime';
import type { SearchAnswer, SearchRequest, WorkerOptions } from './messages.ts';
import { searchPayloads } from './search-payloads.ts';
import { takePlace } from './search-places.ts';

const { database, applicationName, maxConnections, limits } = workerData as WorkerOptions;
const port = parentPort;
if (port === null) throw new Error('it is started as a worker');

/** Whether anybody waits for the search that a statement is for. */
const signals = new AsyncLocalStorage<AbortSignal>();
const searching = new Map<number, AbortController>();

const postgres = createPostgres({
  ...database,
  applicationName,
  maxConnections,
  statementTimeoutMs: limits.statementMs,
  signalOf: () => signals.getStore(),
  // Failures are told to whoever asked.
  log: silentLogger,
});
const turns = createMatchTurns();
const { monotonicMs } = systemClock;

port.on('message', (request: SearchRequest) => {
  const { id } = request;
  if (request.kind === 'leave') return searching.get(id)?.abort();
  const left = new AbortController();
  searching.set(id, left);
  void signals
    .run(left.signal, () => search(request))
    .then(
      (answer) => port.postMessage({ ...answer, id }),
      (thrown: unknown) => {
        const { code, message } = toAppError(thrown);
        port.postMessage({ kind: 'failed', code, message, id } satisfies SearchAnswer);
      },
    )
    .finally(() => searching.delete(id));
});

type Answered = { kind: 'found'; body: string } | { kind: 'busy' };

/** One transaction, which holds a place of the tenant's among all processes: if this one dies, it is free again. */
async function search({ asked, places }: Extract<SearchRequest, { kind: 'search' }>): Promise<Answered> {
  let answered: Answered = { kind: 'busy' };
  await postgres
    .transaction(async (tx) => {
      if (!(await takePlace(tx, asked.tenant, places))) return;
      const found = await searchPayloads({ postgres: tx, turns, monotonicMs, limits }, asked);
      answered = { kind: 'found', body: JSON.stringify(found) };
    })
    .catch((error: unknown) => {
      // Results from before a statement failed count, although its transaction can't be committed.
      if (answered.kind === 'busy') throw error;
    });
  return answered;
}

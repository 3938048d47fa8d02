/**
 * One tenant that does everything at once, in a thread: every request of rowdy-requests.ts over and over, transactions that hold its clock and its
 * rows, and clients that leave. It ends with the message `stop`, and answers with what came back how often.
 */
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { withDatabase } from '../../support/with-database.ts';
import { askAt } from '../../unit/api/ask.ts';
import { rowdyRequests } from './rowdy-requests.ts';

const { apiUrl, adminKey, databaseUrl, consoleUrl, tenant } = workerData as Record<
  'apiUrl' | 'adminKey' | 'databaseUrl' | 'consoleUrl' | 'tenant',
  string
>;
const port = Number(new URL(apiUrl).port);
const headers = {
  authorization: `Bearer ${adminKey}`,
  'hookline-tenant': tenant,
  'content-type': 'application/json',
};
const timeoutMs = 60_000;
const leavesAfterMs = 2_000;

let isOver = false;
const answers = new Map<string, number>();

/** Until the end, and a pause between. */
async function over(name: string, work: () => Promise<unknown>, pauseMs = 0): Promise<void> {
  while (!isOver) {
    const what = await work().catch((error: unknown) => (error as Error).message.slice(0, 60));
    const key = `${name}: ${String(what)}`;
    answers.set(key, (answers.get(key) ?? 0) + 1);
    await delay(pauseMs);
  }
}

const post = (path: string, body: string) => async (): Promise<number> =>
  (await askAt(port, { method: 'POST', path: `/v1${path}`, headers, body, timeoutMs })).status;

/** Longer than a statement of ours waits. Not idle: a session that is idle within a transaction is ended after five seconds. */
const hold = (lock: string) => (): Promise<string> =>
  withDatabase(databaseUrl, (postgres) =>
    postgres.transaction(async (tx) => {
      await tx.query(lock, [tenant]);
      await tx.query('SELECT pg_sleep(8)');
      return 'held';
    }),
  );

const leave = (body: string) => (): Promise<string> =>
  new Promise((resolve) => {
    const path = '/v1/event-types/import';
    const outgoing = request({ host: '127.0.0.1', port, method: 'POST', path, agent: false, headers });
    outgoing.on('error', () => resolve('left'));
    outgoing.on('response', (response) => {
      response.resume();
      resolve(String(response.statusCode));
    });
    outgoing.end(body);
    setTimeout(() => outgoing.destroy(), leavesAfterMs).unref();
  });

const requests = rowdyRequests();
const unknownFields = requests.unknownFields();
const work = [
  over('import of 60 that share', post('/event-types/import', requests.sharedImport(60))),
  over('import of 2,000 that share', post('/event-types/import', requests.sharedImport(2_000))),
  over('import of references in a chain', post('/event-types/import', requests.chainedImport())),
  over('wide references', () => post('/event-types', requests.wideReferences())()),
  over('doubling allOf', () => post('/event-types', requests.doubling())()),
  ...Array.from({ length: 12 }, () => over('slow type', () => post('/event-types', requests.slowType())())),
  over('unknown fields without a key', post('/portal-links/redeem', unknownFields), 50),
  over('import that its client leaves', leave(requests.leftImport()), 500),
  over('export', async () => (await askAt(port, { path: '/v1/event-types/export', headers, timeoutMs })).status, 200),
  over('catalog', async () => (await fetch(`${consoleUrl}/catalog`)).status, 50),
  over('clock', hold('SELECT 1 FROM tenant_clocks WHERE tenant = $1 FOR UPDATE'), 500),
  ...['waiting', 'deliveries', 'stats'].map((table) =>
    over(`rows of ${table}`, hold(`SELECT 1 FROM ${table} WHERE tenant = $1 FOR UPDATE`), 500),
  ),
  over('events', post('/events', JSON.stringify({ type: 'a.b', payload: {} })), 200),
];

parentPort?.once('message', () => {
  isOver = true;
  void Promise.all(work).then(() =>
    parentPort?.postMessage([...answers].map(([what, times]) => `${what}: ${times}`).join('\n')),
  );
});

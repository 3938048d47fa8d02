import { Registry } from 'prom-client';
import type { Postgres } from '#lib/postgres';
import { AppError, createManualClock } from '#lib/runtime';
import { createProjectorMetrics } from '../../../services/projector/metrics.ts';
import { createRetention } from '../../../services/projector/retention/retention.ts';
import { createKeptLog } from '../api/build-test-app.ts';

/** A database that is away until it is said to be there, and then has no tenants and no old days. */
function retentionOver({ away }: { away: boolean }) {
  const clock = createManualClock();
  const { log, lines } = createKeptLog();
  const database = { away, statements: 0 };
  const query: Postgres['query'] = async <T extends object>(text: string) => {
    database.statements += 1;
    if (database.away) throw new AppError('store_unavailable', 'away');
    const now = new Date(clock.nowMs()).toISOString();
    return (text.includes('AS now') ? [{ now }] : text.includes('AS rows') ? [{ rows: 0 }] : []) as T[];
  };
  const postgres = { query, transaction: (work) => work({ query }) } as Postgres;
  const metrics = createProjectorMetrics(new Registry());
  const retention = createRetention({ postgres, payloadDays: 30, eventDays: 90, clock, log, metrics });
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 500; turn += 1) await new Promise(setImmediate);
  };
  return { clock, database, lines, metrics, retention, settle };
}

const minute = 60_000;

test('the first round begins at the start, the next an hour later', async () => {
  const { clock, database, retention, settle } = retentionOver({ away: false });
  await retention.start();
  await settle();
  const afterStart = database.statements;
  expect(afterStart).toBeGreaterThan(0);
  await clock.advance(59 * minute);
  await settle();
  expect(database.statements).toBe(afterStart);
  await clock.advance(minute);
  await settle();
  expect(database.statements).toBeGreaterThan(afterStart);
  await retention.stop();
});

test('with the database away the service starts all the same, and it is tried again a minute later', async () => {
  const { clock, database, lines, metrics, retention, settle } = retentionOver({ away: true });
  await retention.start();
  await settle();
  expect(lines).toContainEqual(expect.objectContaining({ event: 'retention.failed', step: 'sweep events' }));
  expect((await metrics.retentionFailures.get()).values.length).toBeGreaterThan(0);
  database.away = false;
  const failed = lines.length;
  const asked = database.statements;
  await clock.advance(minute);
  await settle();
  expect(database.statements).toBeGreaterThan(asked);
  expect(lines.slice(failed)).toEqual([]);
  await retention.stop();
});

test('a stop ends it, whether it rests or not', async () => {
  const { clock, database, retention, settle } = retentionOver({ away: false });
  await retention.start();
  await retention.stop();
  const asked = database.statements;
  await clock.advance(600 * minute);
  await settle();
  expect(database.statements).toBe(asked);
});

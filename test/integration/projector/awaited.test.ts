/** Notices about deliveries that are sent again soon, but whose event has not come. */
import { awaitedChannel } from '#lib/event-store';
import { createListener, createPostgres, type Postgres } from '#lib/postgres';
import { silentLogger, systemClock } from '#lib/runtime';
import type { Fact } from '../../../services/projector/facts.ts';
import { createDatabase } from '../../support/servers.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { eventFact, outcomeFact } from '../../unit/projector/facts.ts';
import { closePostgres, project } from './projection.ts';

let postgres: Postgres;
const told: string[] = [];
let stopListening: () => Promise<void>;

beforeAll(async () => {
  const url = await createDatabase();
  const applicationName = 'hookline-test';
  postgres = createPostgres({
    url,
    applicationName,
    maxConnections: 2,
    statementTimeoutMs: 20_000,
    isPipelined: true,
    log: silentLogger,
  });
  const { promise: listening, resolve: onListening } = Promise.withResolvers<void>();
  const listener = createListener({
    url,
    applicationName,
    channel: awaitedChannel,
    clock: systemClock,
    log: silentLogger,
    onListening,
    onNotification: (tenant) => told.push(tenant),
  });
  await listener.start();
  stopListening = listener.stop;
  await listening;
});
afterAll(async () => {
  await stopListening();
  await closePostgres(postgres);
});

/** The tenants that a batch tells: the notification of a later one comes behind it. */
async function toldBy(facts: readonly Fact[]): Promise<string[]> {
  told.length = 0;
  await project(postgres, facts);
  await postgres.query(`SELECT pg_notify('${awaitedChannel}', 'the end')`);
  await waitUntil('the end is told', async () => told.includes('the end'));
  return told.filter((tenant) => tenant !== 'the end');
}

const parked = (tenant: string, step = 1): Fact => outcomeFact({ tenant, eventId: 'evt' }, 'ep', step, 'parked');

test('a delivery that is sent again soon, but for an event that is not there: its tenant is told, once', async () => {
  expect(await toldBy([parked('early'), parked('early')])).toEqual(['early']);
});

test('nobody is told where the event is there, or comes with it', async () => {
  expect(await toldBy([eventFact({ tenant: 'whole', eventId: 'evt' }), parked('whole')])).toEqual([]);
  expect(await toldBy([parked('whole', 2)])).toEqual([]);
});

test('nobody is told of a delivery that has ended, or of a record that comes again', async () => {
  const delivered = outcomeFact({ tenant: 'ended', eventId: 'evt' }, 'ep', 1, 'delivered');
  expect(await toldBy([delivered])).toEqual([]);
  expect(await toldBy([parked('again')])).toEqual(['again']);
  expect(await toldBy([parked('again')])).toEqual([]);
});

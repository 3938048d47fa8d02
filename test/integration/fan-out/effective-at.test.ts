/** From when on a change of an endpoint counts, in every process that fans out. */
import { Registry } from 'prom-client';
import { endpointSettlingMs, type EventRecord } from '#lib/contract';
import { createMatchTurns } from '#lib/event-filter';
import {
  createMatchEndpoints,
  createMatchNarrow,
  createStepBudget,
  type EndpointDirectory,
  openSubscriberDirectory,
  type Subscriber,
} from '#lib/fan-out';
import { createPostgres, type Postgres } from '#lib/postgres';
import { microsOf, type Part, silentLogger, systemClock } from '#lib/runtime';
import { createSecretBox, parseEncryptionKeys } from '#lib/secret-box';
import { createEndpointDirectory } from '../../../services/dispatcher/endpoints/endpoint-directory.ts';
import { createDatabase } from '../../support/servers.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { anEvent } from '../../unit/dispatcher/fixtures.ts';

const settlingMicros = endpointSettlingMs * 1_000;

let postgres: Postgres;
const parts: Part[] = [];
/** As dedup, the api and the dispatcher have them. */
const processes: EndpointDirectory[] = [];
beforeAll(async () => {
  const url = await createDatabase();
  const common = { url, applicationName: 'hookline-test', statementTimeoutMs: 10_000, log: silentLogger };
  postgres = createPostgres({ ...common, maxConnections: 3 });
  parts.push(postgres);
  for (const name of ['dedup', 'api']) {
    const metrics = new Registry();
    const opened = openSubscriberDirectory({ database: { url }, name, clock: systemClock, log: silentLogger, metrics });
    parts.push(...opened.parts);
    processes.push(opened.directory);
  }
  const dispatchers = createEndpointDirectory({
    postgres,
    secretBox: createSecretBox(parseEncryptionKeys([`test:${Buffer.alloc(32, 1).toString('base64')}`])),
    longestWindowMs: 1,
    longestLifeMs: 1,
    clock: systemClock,
    log: silentLogger,
  });
  parts.push(dispatchers);
  processes.push(dispatchers);
  for (const part of parts) await part.start();
});
afterAll(async () => {
  for (const part of parts.toReversed()) await part.stop();
});

interface Times {
  created_at: string;
  changed_at: string;
  begins_at: string;
  effective_at: string;
  history: { until: string; effective_at: string }[];
}

const timesOf = async (id: string): Promise<Times> =>
  (
    await postgres.query<Times>(
      'SELECT created_at, changed_at, begins_at, effective_at, history FROM endpoints WHERE id = $1',
      [id],
    )
  )[0] as Times;
const create = (id: string, types = '{}'): Promise<unknown> =>
  postgres.query(
    `INSERT INTO endpoints (tenant, id, url, event_types, secrets) VALUES ('acme', $1, 'https://receiver.test/', $2::text[], '')`,
    [id, types],
  );
const change = (id: string, assignments: string): Promise<unknown> =>
  postgres.query(`UPDATE endpoints SET ${assignments}, changed_at = clock_timestamp() WHERE id = $1`, [id]);

const match = createMatchEndpoints<Subscriber>({ turns: createMatchTurns(), unjudged: { note: () => undefined } });

/** The set that each process comes to, as dedup and the api judge and as the dispatcher does. */
async function setsOf(event: EventRecord): Promise<(readonly string[])[]> {
  const sets: (readonly string[])[] = [];
  for (const directory of processes) {
    const narrow = await waitUntil('the directory is read in time, on a busy machine too', async () => {
      const match = await createMatchNarrow(directory, 100)(event, createStepBudget());
      return 'wide' in match ? undefined : match;
    });
    const wide = await match(event, directory.candidates(event));
    sets.push(narrow.endpointIds, wide.map(({ id }) => id).toSorted());
  }
  return sets;
}
const eventAt = (receivedAt: number, type = 'order.paid'): EventRecord => anEvent({ received_at: receivedAt, type });
const expectSets = async (event: EventRecord, set: readonly string[]): Promise<void> =>
  expect(await setsOf(event)).toEqual(Array(2 * processes.length).fill(set));

afterEach(() => postgres.query('DELETE FROM endpoints'));

describe('a change counts two seconds after it, and the row says when', () => {
  test('a creation', async () => {
    await create('ep_1');
    const { created_at, begins_at, effective_at } = await timesOf('ep_1');
    expect([microsOf(begins_at) - microsOf(created_at), effective_at]).toEqual([settlingMicros, begins_at]);
  });

  test.each([
    ['a setting', `description = 'x', revision = revision + 1`],
    ['its types', `event_types = '{a}', revision = revision + 1`],
    ['its disabling by the dispatcher', `disabled_at = clock_timestamp()`],
    ['a pause', `pauses = '[{"from":"2026-01-01T00:00:00.000000Z","until":"2027-01-01T00:00:00.000000Z"}]'`],
    ['its deletion', `deleted_at = clock_timestamp(), revision = revision + 1`],
  ])('%s', async (_what, assignments) => {
    await create('ep_1');
    const before = await timesOf('ep_1');
    await change('ep_1', assignments);
    const { changed_at, begins_at, effective_at, history } = await timesOf('ep_1');
    expect(microsOf(effective_at) - microsOf(changed_at)).toBe(settlingMicros);
    expect(begins_at).toBe(before.begins_at);
    for (const entry of history) expect(entry).toMatchObject({ until: changed_at, effective_at });
  });

  test('but not what the dispatcher notes', async () => {
    await create('ep_1');
    const { effective_at } = await timesOf('ep_1');
    await change('ep_1', 'failing_since = clock_timestamp()');
    expect((await timesOf('ep_1')).effective_at).toBe(effective_at);
  });

  test('changes count in their order, whatever the clock does', async () => {
    await create('ep_1');
    await postgres.query(
      `UPDATE endpoints SET event_types = '{a}', changed_at = clock_timestamp() + interval '1 hour' WHERE id = 'ep_1'`,
    );
    const ahead = await timesOf('ep_1');
    await change('ep_1', `event_types = '{b}'`);
    const { effective_at, history } = await timesOf('ep_1');
    expect(microsOf(effective_at)).toBeGreaterThan(microsOf(ahead.effective_at));
    expect(history.map((entry) => entry.effective_at)).toEqual([ahead.effective_at, effective_at]);
  });

  test('one whose commit takes more than a second is not made', async () => {
    const late = (tx: { query: Postgres['query'] }): Promise<unknown> => tx.query('SELECT pg_sleep(1.1)');
    await create('ep_1');
    await expect(
      postgres.transaction(async (tx) => {
        await tx.query(`UPDATE endpoints SET event_types = '{a}', changed_at = clock_timestamp() WHERE id = 'ep_1'`);
        await late(tx);
      }),
    ).rejects.toMatchObject({ code: 'store_unavailable' });
    await expect(
      postgres.transaction(async (tx) => {
        await tx.query(
          `INSERT INTO endpoints (tenant, id, url, secrets) VALUES ('acme', 'ep_2', 'https://receiver.test/', '')`,
        );
        await late(tx);
      }),
    ).rejects.toMatchObject({ code: 'store_unavailable' });
    expect((await timesOf('ep_1')).history).toEqual([]);
    expect(await timesOf('ep_2')).toBeUndefined();
    // A transaction may be long before its change.
    await postgres.transaction(async (tx) => {
      await late(tx);
      await tx.query(`UPDATE endpoints SET event_types = '{a}', changed_at = clock_timestamp() WHERE id = 'ep_1'`);
    });
  });
});

describe('every process comes to the same set', () => {
  test('for events from when a change counts to the new one, and for events of before to the old one, however soon', async () => {
    await create('ep_1', '{order.paid}');
    const begins = microsOf((await timesOf('ep_1')).begins_at);
    await expectSets(eventAt(begins - 1), []);
    await expectSets(eventAt(begins), ['ep_1']);
    await change('ep_1', `event_types = '{invoice.sent}', revision = revision + 1`);
    const counts = microsOf((await timesOf('ep_1')).effective_at);
    await expectSets(eventAt(counts - 1), counts - 1 >= begins ? ['ep_1'] : []);
    await expectSets(eventAt(counts), []);
    await expectSets(eventAt(counts, 'invoice.sent'), ['ep_1']);
    await change('ep_1', 'disabled_at = clock_timestamp()');
    const closed = microsOf((await timesOf('ep_1')).effective_at);
    await expectSets(eventAt(closed - 1, 'invoice.sent'), ['ep_1']);
    await expectSets(eventAt(closed, 'invoice.sent'), []);
  });

  test('for what was changed before changes said when they count: five seconds after it', async () => {
    await create('ep_1', '{order.paid}');
    await postgres.query('ALTER TABLE endpoints DISABLE TRIGGER USER');
    await postgres.query(
      `UPDATE endpoints
          SET created_at = '2026-01-01T00:00:00Z', begins_at = NULL, effective_at = NULL, changed_at = clock_timestamp(),
              changed_in = pg_current_xact_id(), event_types = '{invoice.sent}', history_revision = 1,
              history = '[{"until":"2026-01-01T01:00:00.000000Z","open":true,"event_types":["order.paid"],"source_ids":[],"filter":null}]'
        WHERE id = 'ep_1'`,
    );
    await postgres.query('ALTER TABLE endpoints ENABLE TRIGGER USER');
    for (const directory of processes) await directory.refresh();
    const created = microsOf('2026-01-01T00:00:05Z');
    await expectSets(eventAt(created - 1), []);
    await expectSets(eventAt(created), ['ep_1']);
    const changed = microsOf('2026-01-01T01:00:05Z');
    await expectSets(eventAt(changed - 1), ['ep_1']);
    await expectSets(eventAt(changed), []);
  });

  test('for an event that an ingress received by a clock 529 s ahead, at once', async () => {
    await create('ep_1', '{order.paid}');
    const beganMs = performance.now();
    await expectSets(eventAt((Date.now() + 529_000) * 1_000), ['ep_1']);
    expect(performance.now() - beganMs).toBeLessThan(60_000);
  });
});

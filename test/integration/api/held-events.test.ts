/** Events that the process which inserted them publishes from memory. */
import { randomBytes } from 'node:crypto';
import { createPostgresStore } from '#lib/idempotency';
import { type Part, systemClock } from '#lib/runtime';
import type { AppDeps } from '../../../services/api/app.ts';
import { createOutboxTable, type OutboxTable } from '../../../services/api/outbox/outbox-table.ts';
import type { Outbox } from '../../../services/api/outbox/publish-outbox.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { buildTestApp, authorization, testSecretBox } from '../../unit/api/build-test-app.ts';
import { startCuttingProxy } from '../idempotency/cutting-proxy.ts';
import { createPool } from '../idempotency/postgres-subject.ts';
import { type OpenApi, openApi } from './api-over-database.ts';
import { createTopic, startOutbox, type Topic } from './publishing.ts';

const timeoutMs = 60_000;
let api: OpenApi;
/** The outbox of the API's own process. */
let outbox: AppDeps['outbox'];
const ending: (() => void)[] = [];
const running: Part[] = [];
const ownOutbox: AppDeps['outbox'] = { hold: (bytes) => outbox.hold(bytes), wake: () => outbox.wake() };
beforeAll(async () => {
  api = await openApi({ clock: systemClock, outbox: ownOutbox });
});
afterEach(async () => {
  for (const release of ending.splice(0)) release();
  await Promise.all(running.splice(0).map((part) => part.stop()));
  await api.postgres.query('DELETE FROM outbox');
}, timeoutMs);
afterAll(() => api.close());

interface Given {
  event_id?: string;
  ordering_key?: string;
  payload?: unknown;
}

type Options = NonNullable<Parameters<typeof startOutbox>[2]>;

/** Another process; `outbox` stays that of the API. */
async function startOther(topic: Topic, options: Options = {}): Promise<Outbox> {
  const other = await startOutbox(api, topic, options);
  running.push(other);
  return other;
}

/** The outbox of the API, ready to publish from memory. */
async function startOwn(topic: Topic, options: Options = {}): Promise<Outbox> {
  const own = await startOther(topic, options);
  outbox = own;
  await waitUntil('it publishes from memory', () => {
    const hold = outbox.hold(0);
    hold.none();
    return hold.isClaiming;
  });
  return own;
}

async function publish(given: Given = {}, tenant = 'default'): Promise<string> {
  const body = { type: 'order.paid', payload: {}, ...given };
  const answer = await api.ask({ method: 'POST', path: '/v1/events', body, tenant });
  expect(answer.status).toBe(202);
  return answer.json<{ id: string }>().id;
}

function holdAcknowledgments(topic: Topic): () => void {
  const release = topic.holdAcknowledgments();
  ending.push(release);
  return release;
}

const nothing = (): void => undefined;
const rows = async (): Promise<number> => (await createOutboxTable(api.postgres).measure()).unpublished;
const isEmpty = () => waitUntil('the outbox is empty', async () => (await rows()) === 0, { timeoutMs: 20_000 });
const claimsEnd = () => api.postgres.query('UPDATE outbox SET claimed_until = clock_timestamp()');
const idsOn = (topic: Topic): string[] => topic.events.map(({ id }) => id);
const sleep = (ms: number): Promise<void> => systemClock.sleep(ms);

test('what is committed goes to its topic without being claimed or read, and its row goes with others', async () => {
  const topic = createTopic();
  const table = createOutboxTable(api.postgres);
  const removed: number[] = [];
  let read = 0;
  const counting =
    <Rows>(ask: () => Promise<Rows[]>) =>
    async () => {
      const found = await ask();
      read += found.length;
      return found;
    };
  await startOwn(topic, {
    table: {
      claimUnordered: counting(() => table.claimUnordered(64)),
      claimOrdered: counting(() => table.claimOrdered(64, undefined)),
      findNext: async () => {
        throw new Error('nothing is read here');
      },
      async remove(done) {
        removed.push(done.length);
        await table.remove(done);
      },
    },
  });
  const ids: string[] = [];
  for (let n = 0; n < 10; n += 1) ids.push(await publish({ payload: { n }, event_id: `from memory ${n}` }));
  await isEmpty();
  expect(idsOn(topic).toSorted()).toEqual(ids.toSorted());
  expect(topic.events.map(({ payload }) => String(payload)).toSorted()).toEqual(
    ids.map((_, n) => `{"n":${n}}`).toSorted(),
  );
  expect(read).toBe(0);
  expect(removed.length).toBeLessThan(10);
  // Their identifiers are remembered for their time from now on.
  const open = `SELECT FROM dedup_keys WHERE event_id = ANY ($1) AND expires_at IS NULL`;
  expect(await api.postgres.query(open, [ids])).toEqual([]);
});

test('nothing is sent before the COMMIT has answered', async () => {
  const tenant = 'slow-commit';
  await api.postgres.query(`
    CREATE FUNCTION wait_at_commit() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_advisory_xact_lock(4711); RETURN NULL; END $$`);
  await api.postgres.query(`
    CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON outbox DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.tenant = '${tenant}') EXECUTE FUNCTION wait_at_commit()`);
  const topic = createTopic();
  await startOwn(topic);
  let published: Promise<string> | undefined;
  await api.postgres.transaction(async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock(4711)');
    published = publish({}, tenant);
    const waiting = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`;
    await waitUntil('the COMMIT waits', async () => (await tx.query(waiting)).length > 0, { everyMs: 5 });
    await sleep(100);
    expect(topic.asked).toEqual([]);
  });
  const id = await published;
  await isEmpty();
  expect(idsOn(topic)).toEqual([id]);
  await api.postgres.query('DROP TRIGGER slow ON outbox');
});

test.each(['passed', 'dropped'] as const)(
  'where the connection goes during a COMMIT that the server has %s, nothing is sent from memory',
  async (how) => {
    const proxy = await startCuttingProxy(api.databaseUrl);
    const pool = createPool(proxy.url);
    await pool.start();
    const topic = createTopic();
    await startOwn(topic);
    const store = createPostgresStore({
      postgres: pool,
      secretBox: testSecretBox,
      random: randomBytes,
      lockSeconds: 90,
      ttlSeconds: 3_600,
    });
    const { ask } = buildTestApp({
      postgres: api.postgres,
      clock: systemClock,
      outbox: ownOutbox,
      idempotency: { store, lockSeconds: 90 },
    });
    const ofKey = (key: string) =>
      ask({
        method: 'POST',
        path: '/v1/events',
        body: { type: 'a', payload: key },
        headers: { authorization, 'content-type': 'application/json', 'idempotency-key': `${how} ${key}` },
      });
    expect((await ofKey('warm')).status).toBe(202);
    await isEmpty();
    const sentBefore = topic.asked.length;
    proxy.cutNextCommit(how);
    expect((await ofKey('unknown')).status).toBe(503);
    expect(topic.asked).toHaveLength(sentBefore);
    // The server may still be at it: then the sweep publishes it, long before its claim ends, and once.
    await api.postgres.transaction((tx) => tx.query('LOCK TABLE outbox'));
    await isEmpty();
    expect(topic.asked).toHaveLength(sentBefore + (how === 'passed' ? 1 : 0));
    const again = await ofKey('unknown');
    expect(again.status).toBe(202);
    await isEmpty();
    expect(topic.asked).toHaveLength(sentBefore + 1);
    expect(idsOn(topic)).toContain(again.json<{ id: string }>().id);
    await pool.stop();
    await proxy.close();
  },
  timeoutMs,
);

describe('a process that dies with events that it has inserted', () => {
  test('leaves its claims to another, once they have ended: the same ids, each once', async () => {
    const dead = { isClaiming: true, committed: nothing, unknown: nothing, none: nothing };
    outbox = { hold: () => dead, wake: nothing };
    const ids = [await publish({ ordering_key: 'k' }), await publish({ ordering_key: 'k' }), await publish()];
    const topic = createTopic();
    const other = await startOther(topic);
    other.wake();
    await sleep(1_500);
    expect(topic.asked).toEqual([]);
    await claimsEnd();
    await isEmpty();
    expect(idsOn(topic).toSorted()).toEqual(ids.toSorted());
    expect(topic.idsOfKey('k')).toEqual(ids.slice(0, 2));
  });

  test('or is late, removes no row that another has claimed since', async () => {
    const topic = createTopic();
    const release = holdAcknowledgments(topic);
    await startOwn(topic);
    const id = await publish();
    // Another has claimed it since.
    await claimsEnd();
    const [claimed] = await createOutboxTable(api.postgres).claimUnordered(1);
    expect(claimed?.id).toBe(id);
    release();
    await waitUntil('it is acknowledged', () => topic.events.length === 1);
    await sleep(400);
    expect(await rows()).toBe(1);
  });
});

describe('an ordering key', () => {
  const key = { ordering_key: 'k' };

  test('has one event under way: the next one is sent when the row of the one before has gone', async () => {
    const table = createOutboxTable(api.postgres);
    const topic = createTopic();
    const removal = Promise.withResolvers<void>();
    const own: OutboxTable['remove'] = async (done) => {
      await removal.promise;
      await table.remove(done);
    };
    await startOwn(topic, { table: { remove: own } });
    const other = await startOther(topic);
    const first = await publish(key);
    await waitUntil('the first is acknowledged', () => topic.events.length === 1);
    const [second, third] = [await publish(key), await publish(key)];
    // Nor does another process take them, which sees the row of the first.
    other.wake();
    await sleep(1_300);
    expect(idsOn(topic)).toEqual([first]);
    removal.resolve();
    await isEmpty();
    expect(topic.idsOfKey('k')).toEqual([first, second, third]);
  });

  test('of an event that is not acknowledged yet holds back the next one, in its own process and in others', async () => {
    const topic = createTopic();
    const release = holdAcknowledgments(topic);
    await startOwn(topic);
    const other = await startOther(topic);
    const ids = [await publish(key), await publish(key), await publish({ ordering_key: 'other' })];
    other.wake();
    await sleep(1_300);
    expect(topic.asked.map(({ id }) => id)).toEqual([ids[0], ids[2]]);
    release();
    await isEmpty();
    expect(topic.idsOfKey('k')).toEqual(ids.slice(0, 2));
  });

  test('goes on at once behind a removal, not with the next sweep', async () => {
    const topic = createTopic();
    await startOwn(topic);
    const beganAtMs = performance.now();
    const ids = await Promise.all(Array.from({ length: 40 }, () => publish(key)));
    await waitUntil('all are published', () => topic.events.length === 40, { everyMs: 5 });
    expect(performance.now() - beganAtMs).toBeLessThan(10_000);
    await isEmpty();
    expect(new Set(idsOn(topic))).toEqual(new Set(ids));
    const order = await api.postgres.query<{ id: string }>(
      'SELECT id FROM events WHERE id = ANY ($1) ORDER BY updated_at',
      [ids],
    );
    expect(topic.idsOfKey('k')).toEqual(order.map(({ id }) => id));
  });

  test('keeps its order where several processes insert and publish', async () => {
    const topic = createTopic(() => Math.random() * 5);
    const outboxes = [await startOther(topic), await startOther(topic)];
    outbox = outboxes[0] as Outbox;
    const tenant = 'two-processes';
    const keys = ['a', 'b', 'c'];
    // Each transaction by the process whose turn it is.
    const askAll = async (turn: number): Promise<void> => {
      for (let n = 0; n < 25; n += 1) {
        outbox = outboxes[(turn + n) % 2] as Outbox;
        await publish({ ordering_key: keys[(turn + n) % 3] as string }, tenant);
      }
    };
    await Promise.all([0, 1, 2, 3].map(askAll));
    await isEmpty();
    expect(topic.events).toHaveLength(100);
    for (const ordering_key of keys) {
      const order = await api.postgres.query<{ id: string }>(
        'SELECT id FROM events WHERE tenant = $1 AND ordering_key = $2 ORDER BY updated_at',
        [tenant, ordering_key],
      );
      expect(topic.idsOfKey(ordering_key)).toEqual(order.map(({ id }) => id));
    }
  });
});

test('while Kafka is away claims are given back; when it is back everything goes, in its order', async () => {
  const topic = createTopic();
  topic.setAway(true);
  await startOwn(topic);
  const ids: string[] = [];
  for (let n = 0; n < 5; n += 1) ids.push(await publish({ ordering_key: 'k' }));
  const others = [await publish(), await publish()];
  const isFree = async (): Promise<boolean> => createOutboxTable(api.postgres).hasFree();
  await waitUntil('claims are given back', isFree);
  expect(await rows()).toBe(7);
  topic.setAway(false);
  await isEmpty();
  expect(topic.idsOfKey('k')).toEqual(ids);
  expect(idsOn(topic).toSorted()).toEqual([...ids, ...others].toSorted());
});

test('beyond the bytes that may be held, rows have no claim, and the sweep publishes them', async () => {
  const topic = createTopic();
  const release = holdAcknowledgments(topic);
  await startOwn(topic, { maxHeldBytes: 20 });
  const payload = 'fifteen bytes';
  const unclaimed = async (): Promise<number> =>
    (await api.postgres.query(`SELECT FROM outbox WHERE claimed_until = '-infinity'`)).length;
  const held = await publish({ payload });
  expect([await rows(), await unclaimed()]).toEqual([1, 0]);
  const swept: string[] = [];
  const hold = outbox.hold(20);
  expect(hold.isClaiming).toBe(false);
  hold.none();
  swept.push(await publish({ payload }), await publish({ payload }));
  release();
  await isEmpty();
  expect(idsOn(topic).toSorted()).toEqual([held, ...swept].toSorted());
  // Acknowledged events take no room.
  const free = outbox.hold(20);
  expect(free.isClaiming).toBe(true);
  free.none();
});

test('an event that is erased before it is sent goes nowhere, and the next one of its key is not held up', async () => {
  const topic = createTopic();
  const erased = new Set<string>();
  const has = erased.has.bind(erased);
  let marked = 0;
  // The first event that is asked about is erased at that moment.
  erased.has = (id) => (marked++ === 0 ? (erased.add(id), true) : has(id));
  await startOwn(topic, { erased });
  const first = await publish({ ordering_key: 'k', event_id: 'erased' });
  const second = await publish({ ordering_key: 'k' });
  await isEmpty();
  expect(erased).toEqual(new Set([first]));
  expect(idsOn(topic)).toEqual([second]);
});

test('a stop ends when what was committed is on its topic, and its rows are gone', async () => {
  const topic = createTopic(() => 50);
  const own = await startOwn(topic);
  const ids = await Promise.all([publish(), publish(), publish({ event_id: 'at a stop' })]);
  await own.stop();
  expect(idsOn(topic).toSorted()).toEqual(ids.toSorted());
  expect(await rows()).toBe(0);
});

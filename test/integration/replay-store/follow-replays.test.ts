import type { Postgres } from '#lib/postgres';
import { cancelReplay, createReplayWork, followReplays, type LeasedReplay, type ReplayWork } from '#lib/replay-store';
import { closePostgres, openDatabase } from '../projector/projection.ts';
import { killDeliveries, replayDeadLetters } from './dead-deliveries.ts';

let postgres: Postgres;
let work: ReplayWork;
let tenant = '';
let tenants = 0;

beforeAll(async () => {
  postgres = await openDatabase(8);
  work = createReplayWork(postgres);
});
beforeEach(async () => {
  tenant = `t${(tenants += 1)}`;
  // Nobody follows those of other tests.
  await postgres.query('UPDATE replays SET look_at = NULL');
});
afterAll(() => closePostgres(postgres));

const rowOf = async (id: string) => {
  const [row] = await postgres.query<Record<string, unknown>>(
    `SELECT status, followed, delivered, dead_lettered, cancelled, sent_at IS NOT NULL AS is_sent, ended_at IS NOT NULL AS has_ended,
            look_at IS NOT NULL AS is_followed
       FROM replays WHERE tenant = $1 AND id = $2`,
    [tenant, id],
  );
  return row;
};

/** Looks at all that wait for a look, be it due or not. */
async function look(): Promise<number> {
  await postgres.query(`UPDATE replays SET look_at = clock_timestamp() WHERE look_at IS NOT NULL`);
  return followReplays(postgres, 10);
}

async function takeAll(replay: LeasedReplay) {
  const taken = await work.take(replay, 100);
  if (taken === 'lost' || 'ended' in taken) throw new Error('no items');
  return taken.items;
}

/** Sends the items of a replay of so many dead letters, those with these numbers excepted. @returns its id */
async function send(n: number, { failed = [] as number[], limit = 1_000 } = {}): Promise<string> {
  const events = Array.from({ length: n }, (_, index) => `evt_${tenant}_${index}`);
  await killDeliveries(postgres, tenant, events, ['ep_a']);
  const { id } = await replayDeadLetters(postgres, tenant, {}, { limit });
  const [replay] = [...(await work.lease('me', 'bulk', 1)), ...(await work.lease('me', 'single', 1))];
  if (replay === undefined) throw new Error('nothing to lease');
  const items = await takeAll(replay);
  await work.settle(
    replay,
    items.map(({ item }) => ({ item, reason: failed.includes(item) ? 'payload_expired' : null })),
  );
  await work.take(replay, 1);
  return id;
}

/** The delivery that an item has led to comes to this status, as the projector writes it. */
const comesTo = (id: string, item: number, status: string) =>
  postgres.query(
    `INSERT INTO deliveries (tenant, id, event_id, endpoint_id, generation, status, step, attempts, created_at, updated_at)
     SELECT tenant, 'dlv_' || replay_id || item, event_id, endpoint_id, generation, $4, 1, 1, clock_timestamp(), clock_timestamp()
       FROM replay_items WHERE tenant = $1 AND replay_id = $2 AND item = $3
     ON CONFLICT (tenant, id) DO UPDATE SET status = EXCLUDED.status`,
    [tenant, id, item, status],
  );

describe('a replay that was sent', () => {
  it('is completed when its deliveries have ended, and counts how', async () => {
    const id = await send(4);
    const sent = { is_sent: true, has_ended: false, is_followed: true, followed: 4 };
    expect(await rowOf(id)).toMatchObject({ ...sent, status: 'sent', delivered: 0 });
    // Nobody has read of these yet.
    await look();
    expect(await rowOf(id)).toMatchObject({ ...sent, status: 'sent', delivered: 0 });
    await comesTo(id, 1, 'delivered');
    await comesTo(id, 2, 'dead_lettered');
    await comesTo(id, 3, 'retrying');
    await comesTo(id, 4, 'parked');
    await look();
    expect(await rowOf(id)).toMatchObject({ ...sent, status: 'sent', delivered: 1, dead_lettered: 1, cancelled: 0 });
    await comesTo(id, 3, 'delivered');
    await comesTo(id, 4, 'cancelled');
    await look();
    const ended = { status: 'completed', delivered: 2, dead_lettered: 1, cancelled: 1 };
    expect(await rowOf(id)).toMatchObject({ ...ended, has_ended: true, is_followed: false });
    // Each is counted once, however often somebody looks.
    expect(await look()).toBe(0);
    expect(await rowOf(id)).toMatchObject(ended);
  });

  it('leaves its turn and its place to the next one at once', async () => {
    const first = await send(2);
    expect(await rowOf(first)).toMatchObject({ status: 'sent' });
    await killDeliveries(postgres, tenant, [`evt_${tenant}_x`, `evt_${tenant}_y`], ['ep_b']);
    const second = await replayDeadLetters(postgres, tenant);
    expect(await work.lease('me', 'bulk', 5)).toMatchObject([{ id: second.id }]);
  });

  it('has ended at once where nothing could be sent', async () => {
    const id = await send(2, { failed: [1, 2] });
    expect(await rowOf(id)).toMatchObject({ status: 'completed', followed: 0, has_ended: true, is_followed: false });
  });

  it('is partial in the end if more had matched than its limit let in', async () => {
    const id = await send(3, { limit: 2 });
    expect(await rowOf(id)).toMatchObject({ status: 'sent', followed: 2 });
    for (const item of [1, 2]) await comesTo(id, item, 'delivered');
    await look();
    expect(await rowOf(id)).toMatchObject({ status: 'partial', delivered: 2, has_ended: true });
  });

  it('does not wait for events that were erased before they were sent', async () => {
    const id = await send(2);
    await comesTo(id, 1, 'delivered');
    await postgres.query(`UPDATE events SET status = 'erased' WHERE tenant = $1 AND id = $2`, [
      tenant,
      `evt_${tenant}_1`,
    ]);
    await look();
    expect(await rowOf(id)).toMatchObject({ status: 'completed', delivered: 1, cancelled: 1 });
  });

  // A statement that reads a table for each item would be ended by its time limit.
  it('of tens of thousands of items is counted page by page, in tables whose size the planner does not know yet', async () => {
    const n = 21_000;
    await postgres.query(
      `INSERT INTO replays (tenant, id, request, status, matched, replayed, capped, created_at, sent_at, followed, look_at)
       VALUES ($1, 'rpl_many', '{}', 'sent', $2, $2, false, now(), now(), $2, now())`,
      [tenant, n],
    );
    await postgres.query(
      `INSERT INTO replay_items (tenant, replay_id, item, event_id, endpoint_id, generation, status, outcome)
       SELECT $1, 'rpl_many', n, 'evt_' || n, 'ep', 1, 'replayed', 'waiting' FROM generate_series(1, $2::int) AS n`,
      [tenant, n],
    );
    await postgres.query(
      `INSERT INTO deliveries (tenant, id, event_id, endpoint_id, generation, status, step, attempts, created_at, updated_at)
       SELECT $1, 'dlv_' || n, 'evt_' || n, 'ep', 1, 'delivered', 1, 1, now(), now() FROM generate_series(1, $2::int) AS n`,
      [tenant, n],
    );
    expect(await followReplays(postgres, 10)).toBe(5);
    expect(await rowOf('rpl_many')).toMatchObject({ status: 'completed', delivered: n, is_followed: false });
  });

  it('is looked at by one process at a time', async () => {
    const id = await send(3);
    for (const item of [1, 2, 3]) await comesTo(id, item, 'delivered');
    await postgres.query(`UPDATE replays SET look_at = clock_timestamp() WHERE tenant = $1`, [tenant]);
    const looked = await Promise.all(Array.from({ length: 5 }, () => followReplays(postgres, 1)));
    expect(looked.reduce((sum, each) => sum + each, 0)).toBe(1);
    expect(await rowOf(id)).toMatchObject({ status: 'completed', delivered: 3 });
  });

  it('that was cancelled half-way stays cancelled, and its deliveries are counted all the same', async () => {
    await killDeliveries(
      postgres,
      tenant,
      [1, 2, 3].map((each) => `evt_${tenant}_${each}`),
      ['ep_a'],
    );
    const { id } = await replayDeadLetters(postgres, tenant);
    const [replay] = await work.lease('me', 'bulk', 1);
    if (replay === undefined) throw new Error('nothing to lease');
    const taken = await work.take(replay, 1);
    if (taken === 'lost' || 'ended' in taken) throw new Error('no items');
    await work.settle(replay, [{ item: 1, reason: null }]);
    await postgres.transaction((tx) => cancelReplay(tx, tenant, id));
    expect(await rowOf(id)).toMatchObject({ status: 'cancelled', followed: 1, has_ended: true, is_followed: true });
    await comesTo(id, 1, 'dead_lettered');
    await look();
    expect(await rowOf(id)).toMatchObject({ status: 'cancelled', dead_lettered: 1, is_followed: false });
  });
});

import type { Postgres } from '#lib/postgres';
import {
  cancelReplay,
  createReplayWork,
  type LeasedReplay,
  type ReplayLane,
  replaysAhead,
  type ReplayWork,
  unfinishedReplays,
} from '#lib/replay-store';
import { createId, formatMicros } from '#lib/runtime';
import { closePostgres, openDatabase } from '../projector/projection.ts';

let postgres: Postgres;
let work: ReplayWork;
beforeAll(async () => {
  postgres = await openDatabase(8);
  work = createReplayWork(postgres);
});
afterEach(() => postgres.query('DELETE FROM replays'));
afterAll(() => closePostgres(postgres));

let created = 0;
/** Replays of so many items, each asked for after the one before. */
async function add(tenant: string, ...sizes: number[]): Promise<string[]> {
  const ids: string[] = [];
  for (const matched of sizes) {
    const id = createId('rpl', Date.now());
    const at = formatMicros((1_700_000_000 + (created += 1)) * 1_000_000);
    await postgres.query(
      `INSERT INTO replays (tenant, id, request, status, matched, capped, created_at)
       VALUES ($1, $2, '{}', 'running', $3, false, $4)`,
      [tenant, id, matched, at],
    );
    await postgres.query(
      `INSERT INTO replay_items (tenant, replay_id, item, event_id, endpoint_id, generation)
       SELECT $1, $2, n, 'evt_' || n, 'ep_1', 1 FROM generate_series(1, $3::int) n`,
      [tenant, id, matched],
    );
    ids.push(id);
  }
  return ids;
}
const lease = async (lane: ReplayLane, max = 100, owner = 'me'): Promise<LeasedReplay[]> =>
  work.lease(owner, lane, max);
const idsOf = (replays: readonly LeasedReplay[]): string[] => replays.map(({ id }) => id).sort();
async function end(replay: LeasedReplay): Promise<void> {
  for (;;) {
    const taken = await work.take(replay, 100);
    if (taken === 'lost' || 'ended' in taken) return;
    await work.settle(
      replay,
      taken.items.map(({ item }) => ({ item, reason: null })),
    );
  }
}

describe('bulk replays', () => {
  it('of a tenant go one after the other, the oldest first, and other tenants’ beside them', async () => {
    const [a1, a2] = await add('a', 5, 5, 5);
    const [b1] = await add('b', 5, 5);
    const first = await lease('bulk');
    expect(idsOf(first)).toEqual([a1, b1].sort());
    expect(await lease('bulk', 100, 'another')).toEqual([]);
    expect(await replaysAhead(postgres, 'a', String(a2))).toBe(1);

    await end(first.find(({ id }) => id === a1) as LeasedReplay);
    expect(idsOf(await lease('bulk'))).toEqual([a2]);
    expect(await replaysAhead(postgres, 'a', String(a2))).toBe(0);
  });

  it('are leased once each where several processes ask at once', async () => {
    for (let tenant = 0; tenant < 20; tenant += 1) await add(`t${tenant}`, 5, 5);
    const owners = ['a', 'b', 'c', 'd'];
    const leases = (await Promise.all(owners.map((owner) => lease('bulk', 100, owner)))).flat();
    const more = await lease('bulk', 100, 'last');
    const tenants = [...leases, ...more].map(({ tenant }) => tenant);
    expect(tenants).toHaveLength(20);
    expect(new Set(tenants).size).toBe(20);
  });

  it('that wait for their rate are nobody’s until then, and are those of their tenant that come first', async () => {
    const [first] = await add('a', 5, 5);
    const [slow] = await lease('bulk');
    await work.release(slow as LeasedReplay, 60_000);
    expect(await lease('bulk')).toEqual([]);
    await postgres.query(`UPDATE replays SET turn_at = turn_at - interval '61 seconds' WHERE id = $1`, [first]);
    expect(idsOf(await lease('bulk'))).toEqual([first]);
  });

  it('that wait behind another, or for their rate, are cancelled at once', async () => {
    const [first, second] = await add('a', 5, 5);
    await work.release((await lease('bulk'))[0] as LeasedReplay, 60_000);
    for (const id of [second, first]) await postgres.transaction((tx) => cancelReplay(tx, 'a', String(id)));
    expect(await unfinishedReplays(postgres, 'a')).toEqual({ single: 0, bulk: 0 });
  });

  it('of a process that has died are taken over, with what it had taken first', async () => {
    const [id] = await add('a', 5, 5);
    const [dead] = await lease('bulk', 1, 'dead');
    const taken = await work.take(dead as LeasedReplay, 2);
    expect(await lease('bulk')).toEqual([]);
    await postgres.query(`UPDATE replays SET lease_until = clock_timestamp() - interval '1 ms' WHERE id = $1`, [id]);
    const [successor] = await lease('bulk');
    expect(successor?.id).toBe(id);
    expect(await work.take(successor as LeasedReplay, 2)).toEqual(taken);
  });

  it('are leased from whom has waited for longest', async () => {
    const [a] = await add('a', 5);
    const [b] = await add('b', 5);
    const [held] = await lease('bulk', 1);
    expect(held?.id).toBe(a);
    await work.release(held as LeasedReplay);
    expect(idsOf(await lease('bulk', 1))).toEqual([b]);
    expect(idsOf(await lease('bulk', 1))).toEqual([a]);
  });
});

describe('replays of one item', () => {
  it('have a lane of their own, whatever their tenant has asked for beside them', async () => {
    await add('a', 5, 5);
    const singles = await add('a', 1, 1);
    await lease('bulk');
    expect(idsOf(await lease('single'))).toEqual(singles.sort());
    expect(await unfinishedReplays(postgres, 'a')).toEqual({ single: 2, bulk: 2 });
  });

  it('go from tenant to tenant: one waits for one of each other tenant, however many that has', async () => {
    await add('busy', ...Array.from({ length: 30 }, () => 1));
    const [only] = await add('other', 1);
    expect(idsOf(await lease('single', 2))).toContain(only);
    // The others follow.
    expect(await lease('single', 10)).toHaveLength(10);
  });
});

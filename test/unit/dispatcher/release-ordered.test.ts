import { createManualClock } from '#lib/runtime';
import type { Endpoint } from '../../../services/dispatcher/model/endpoint.ts';
import { deliveryKey, type Job } from '../../../services/dispatcher/model/job.ts';
import type { AskedKey, QueuedRow } from '../../../services/dispatcher/ordered/ordered-table.ts';
import { createOwnedPartitions } from '../../../services/dispatcher/model/owned-partitions.ts';
import { createReadContents } from '../../../services/dispatcher/waiting/read-contents.ts';
import { createRecentSteps } from '../../../services/dispatcher/model/recent-steps.ts';
import type { Standing } from '../../../services/dispatcher/endpoints/endpoint-health.ts';
import { createReleaseOrdered } from '../../../services/dispatcher/ordered/release-ordered.ts';
import { anEndpoint, anOrder, aRowJob, contentOf, secondMicros, startMicros } from './fixtures.ts';

const deliveries = { topic: 'deliveries', partition: 0 };

/** `a2` is the second of key `a`, and behind another. */
const aRow = (name: string, overrides: Partial<QueuedRow> = {}): QueuedRow => ({
  tenant: 'acme',
  deliveryId: name,
  partition: 0,
  endpointId: 'ep_1',
  eventId: `evt_${name}`,
  generation: 0,
  state: 'parked',
  dueAt: Infinity,
  step: 1,
  attempts: 0,
  createdAt: startMicros,
  notBefore: null,
  payloadBytes: 11,
  ended: false,
  order: anOrder(Number(name.slice(1)), name.slice(0, 1)),
  ...overrides,
});
const aFirst = (name: string, overrides: Partial<QueuedRow> = {}): QueuedRow =>
  aRow(name, { dueAt: startMicros, ...overrides });

function createWorld() {
  const clock = createManualClock();
  const owned = createOwnedPartitions(clock);
  owned.assigned([deliveries]);
  owned.opened(deliveries, 100n);
  const recentSteps = createRecentSteps(clock);
  const world = {
    rows: [] as QueuedRow[],
    endpoint: anEndpoint({ ordered: true }) as Endpoint | undefined,
    standing: { kind: 'healthy', width: 10, pausedUntilMs: 0 } as Standing,
    withoutContent: new Set<string>(),
    held: new Map<string, Job>(),
    keysAsked: [] as AskedKey[][],
    beingWritten: new Set<string>(),
    room: Number.POSITIVE_INFINITY,
    offered: [] as string[],
    removed: [] as string[],
    onContents: () => undefined as void,
  };
  const release = createReleaseOrdered({
    orderedRows: {
      async linesOf(keys) {
        world.keysAsked.push([...keys]);
        return keys.map(({ key, rows }) => world.rows.filter(({ order }) => order.key === key).slice(0, rows));
      },
      isBeingWritten: ({ key }) => world.beingWritten.has(key),
    },
    readContents: createReadContents(
      {
        contents: async (events) => {
          world.onContents();
          return events
            .filter(({ eventId }) => !world.withoutContent.has(eventId))
            .map(({ eventId }) => contentOf(eventId));
        },
      },
      { get: () => world.endpoint },
    ),
    owned,
    directory: { get: () => world.endpoint },
    health: { standingOf: () => world.standing },
    scheduler: {
      offer(job) {
        if (world.offered.length >= world.room) return 'full';
        world.offered.push(job.delivery.id);
        return 'queued';
      },
      held: (delivery) => world.held.get(deliveryKey(delivery)),
    },
    recentSteps,
    clock,
  });
  /** With what is due of the rows: the first ones. */
  const run = (due = world.rows.filter(({ dueAt }) => Number.isFinite(dueAt))): Promise<void> =>
    release(
      due,
      ({ deliveryId }) => world.removed.push(deliveryId),
      ({ dueAt }) => dueAt,
    );
  return { world, run, clock, owned, recentSteps };
}

const acme = (id: string) => ({ tenant: 'acme', id });

describe('rows that are in an order', () => {
  it('come back with those behind them, of each key that is due', async () => {
    const { world, run } = createWorld();
    world.rows = [aFirst('a1'), aRow('a2'), aFirst('b3'), aRow('a4')];
    await run();
    expect(world.offered).toEqual(['a1', 'a2', 'a4', 'b3']);
    expect(world.keysAsked[0]).toEqual(
      ['a', 'b'].map((name) => ({ tenant: 'acme', endpointId: 'ep_1', key: anOrder(1, name).key, rows: 50 })),
    );
  });

  it('go before they are due where it is tried whether their endpoint is back, but not before the time that it asked for', async () => {
    const { world, run, clock } = createWorld();
    const later = startMicros + 3_600 * secondMicros;
    const asked = startMicros + 5 * secondMicros;
    world.rows = [
      aFirst('a1', { state: 'retrying', dueAt: later }),
      aFirst('b1', { state: 'retrying', dueAt: later, notBefore: asked }),
    ];
    await run();
    expect(world.offered).toEqual([]);
    for (const kind of ['probe', 'half-open'] as const) {
      world.offered.length = 0;
      world.standing = { kind, width: 1, pausedUntilMs: 0, freshToo: false };
      await run();
      expect(world.offered).toEqual(['a1']);
    }
    await clock.advance(5_000);
    world.offered.length = 0;
    await run();
    expect(world.offered).toEqual(['a1', 'b1']);
  });

  it('are not asked for where none is due', async () => {
    const { world, run } = createWorld();
    await run([]);
    expect(world.keysAsked).toEqual([]);
  });

  it('share what their lane has places for, each with one at least', async () => {
    const { world, run } = createWorld();
    const firsts = (count: number) =>
      Array.from({ length: count }, (_, at) => aFirst('a1', { order: anOrder(1, `key ${at}`) }));
    await run(firsts(50));
    await run(firsts(600));
    expect([world.keysAsked[0]?.[0]?.rows, world.keysAsked.at(-1)?.[0]?.rows]).toEqual([2, 1]);
  });

  it('are taken as far as there is room in the lane', async () => {
    const { world, run } = createWorld();
    world.rows = [aFirst('a1'), aRow('a2'), aRow('a3')];
    world.room = 2;
    await run();
    expect(world.offered).toEqual(['a1', 'a2']);
  });

  it('follow one that is in hand', async () => {
    const { world, run } = createWorld();
    world.rows = [aFirst('a1'), aRow('a2')];
    world.held.set('acme/a1', aRowJob({ id: 'a1' }));
    await run();
    expect(world.offered).toEqual(['a2']);
  });

  it('follow one that has ended, which is removed', async () => {
    const { world, run, recentSteps } = createWorld();
    recentSteps.remember(acme('a2'), 2, 'delivered');
    world.rows = [aFirst('a1', { ended: true }), aRow('a2'), aRow('a3')];
    await run();
    expect([world.removed, world.offered]).toEqual([['a1', 'a2'], ['a3']]);
  });

  it('are removed where they have ended here, in whichever step', async () => {
    const { world, run, recentSteps } = createWorld();
    recentSteps.remember(acme('a1'), 1, 'delivered');
    world.rows = [aFirst('a1', { step: 3 }), aRow('a2')];
    await run();
    expect([world.removed, world.offered]).toEqual([['a1'], ['a2']]);
  });

  it.each<[string, (created: ReturnType<typeof createWorld>) => void]>([
    ['is not due yet', ({ world }) => void (world.rows[0] = aFirst('a1', { dueAt: startMicros + 1 }))],
    [
      'was lately done, in a step that is being written',
      ({ recentSteps }) => recentSteps.remember(acme('a1'), 2, 'retrying'),
    ],
    ['stands behind records that were not seen', ({ owned }) => owned.opened(deliveries, 1n)],
    ['has no content', ({ world }) => void world.withoutContent.add('evt_a1')],
    [
      'is of a partition that was lost',
      ({ world, owned }) => void (world.onContents = () => owned.revoked([deliveries])),
    ],
  ])('stay where they are, all of the key, while the first %s', async (_what, hinder) => {
    const created = createWorld();
    created.world.rows = [aFirst('a1'), aRow('a2')];
    hinder(created);
    await created.run(created.world.rows.slice(0, 1));
    expect(created.world.offered).toEqual([]);
  });

  it('are brought to their end at once where their endpoint was closed', async () => {
    const { world, run } = createWorld();
    world.rows = [aFirst('a1', { dueAt: startMicros + 9 }), aRow('a2')];
    world.endpoint = anEndpoint({ ordered: true, disabledAt: startMicros });
    await run();
    expect(world.offered).toEqual(['a1', 'a2']);
  });

  it('stay, if one has come before them since they were found', async () => {
    const { world, run } = createWorld();
    world.rows = [aFirst('a2'), aRow('a3')];
    world.onContents = () => void (world.rows = [aFirst('a1'), aRow('a2'), aRow('a3')]);
    await run();
    expect(world.offered).toEqual([]);
  });

  it('stay while their key is being written to: what comes may belong before them', async () => {
    const { world, run } = createWorld();
    world.rows = [aFirst('a1'), aFirst('b1')];
    world.beingWritten.add(anOrder(1, 'a').key);
    await run();
    expect(world.offered).toEqual(['b1']);
  });
});

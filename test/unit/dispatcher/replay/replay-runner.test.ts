import type { LeasedReplay, ReplayLane } from '#lib/replay-store';
import { createManualClock, silentLogger } from '#lib/runtime';
import { createReplayRunner } from '../../../../services/dispatcher/replay/replay-runner.ts';
import type { RunReplay } from '../../../../services/dispatcher/replay/run-replay.ts';

type Limits = Parameters<RunReplay>[2];

/** Any number of waiting replays, each of which runs until the test ends it. */
function createWorld(lane: ReplayLane, waiting: number) {
  const clock = createManualClock();
  const leased: LeasedReplay[] = [];
  const released: [string, number | undefined][] = [];
  const running = new Map<string, { limits: Limits; end(how: string, againInMs?: number): Promise<void> }>();
  const settle = async (): Promise<void> => {
    for (let round = 0; round < 20; round += 1) await new Promise(setImmediate);
  };
  const runner = createReplayRunner({
    lane,
    work: {
      async lease(owner, _lane, max) {
        const taken = Array.from({ length: Math.min(max, waiting) }, (_, index): LeasedReplay => ({
          tenant: `t${leased.length + index}`,
          id: `rpl_${leased.length + index}`,
          createdAt: 0,
          ratePerSecond: null,
          operation: null,
          isTest: false,
          owner,
        }));
        waiting -= taken.length;
        leased.push(...taken);
        return taken;
      },
      renew: async () => true,
      release: async ({ id }, againInMs) => void released.push([id, againInMs]),
    },
    run: (replay, _pace, limits) => {
      const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<RunReplay>>>();
      limits.stopping.addEventListener('abort', () => resolve({ how: 'stopped', againInMs: 0 }));
      const end = async (how: string, againInMs = 0): Promise<void> => {
        resolve({ how, againInMs });
        await settle();
      };
      running.set(replay.id, { limits, end });
      return promise;
    },
    owner: 'me',
    clock,
    log: silentLogger,
  });
  return { clock, leased, released, running, runner, settle };
}

test('many tenants’ replays are in hand at once: one that waits for its rate keeps nobody out', async () => {
  const { leased, running, released, runner, clock, settle } = createWorld('bulk', 60);
  await runner.start();
  await settle();
  expect(leased).toHaveLength(60);
  await running.get('rpl_0')?.end('waits', 90_000);
  expect(released).toEqual([['rpl_0', 90_000]]);
  await clock.advance(1_000);
  await runner.stop();
  expect(released).toHaveLength(60);
});

test('a share is over only while more wait than can be held, and after some seconds', async () => {
  const few = createWorld('bulk', 99);
  await few.runner.start();
  await few.settle();
  await few.clock.advance(60_000);
  expect(few.running.get('rpl_0')?.limits.isTurnOver()).toBe(false);
  await few.runner.stop();

  const many = createWorld('bulk', 150);
  await many.runner.start();
  await many.settle();
  expect(many.leased).toHaveLength(100);
  expect(many.running.get('rpl_0')?.limits.isTurnOver()).toBe(false);
  await many.clock.advance(5_000);
  expect(many.running.get('rpl_0')?.limits.isTurnOver()).toBe(true);
  await many.running.get('rpl_0')?.end('turn_over');
  await many.clock.advance(1_000);
  await many.settle();
  expect(many.leased).toHaveLength(101);
  await many.runner.stop();
});

test('single replays are looked for four times a second', async () => {
  const { leased, running, runner, clock, settle } = createWorld('single', 30);
  await runner.start();
  await settle();
  expect(leased).toHaveLength(25);
  await running.get('rpl_3')?.end('completed');
  await clock.advance(250);
  await settle();
  expect(leased).toHaveLength(26);
  await runner.stop();
});

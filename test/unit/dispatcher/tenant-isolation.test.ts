import { createManualClock, silentLogger } from '#lib/runtime';
import { createEndpointHealth } from '../../../services/dispatcher/endpoints/endpoint-health.ts';
import { createScheduler } from '../../../services/dispatcher/lanes/scheduler.ts';
import { aRecordJob, noMetrics } from './fixtures.ts';

const slowMs = 55_000;
const quickMs = 20;

/** The scheduler as it is set by default. Endpoints named `slow…` answer 200 after 55 s, all others after 20 ms. */
async function createWorld() {
  const clock = createManualClock();
  const arrivedAtMs = new Map<string, number>();
  const inFlight = { slow: 0, most: 0 };
  const scheduler = createScheduler({
    limits: {
      inFlight: 500,
      lane: { records: 2_000, bytes: 16 * 2 ** 20, rows: 100 },
      totalRecords: 10_000,
      totalBytes: 64 * 2 ** 20,
      totalRows: 2_000,
    },
    clock,
    health: createEndpointHealth({
      factsOf: () => ({ maxInFlight: 10, revision: 1, isClosed: false }),
      metrics: noMetrics,
      onClosed: () => undefined,
      clock,
      random: () => 1,
      log: silentLogger,
    }),
    paceOf: () => undefined,
    takePermit: async () => 0,
    holdsMembership: () => true,
    async run({ delivery: { id, endpointId } }, observed) {
      const isSlow = endpointId.startsWith('slow');
      if (isSlow) inFlight.most = Math.max(inFlight.most, (inFlight.slow += 1));
      else arrivedAtMs.set(id, clock.monotonicMs());
      await clock.sleep(isSlow ? slowMs : quickMs);
      if (isSlow) inFlight.slow -= 1;
      observed({ kind: 'well' });
      return 'over';
    },
    park: async () => undefined,
    onFailure: (error) => {
      throw error;
    },
    onHeldBack: () => undefined,
    giveUp: () => undefined,
    drainMs: 1,
  });
  await scheduler.start();
  let count = 0;
  return {
    clock,
    inFlight,
    offer(tenant: string, endpointId: string): { waitedMs: () => number } {
      const id = `dlv_${(count += 1)}`;
      const offeredAtMs = clock.monotonicMs();
      scheduler.offer(aRecordJob({ id, tenant, endpointId }));
      return { waitedMs: () => (arrivedAtMs.get(id) ?? Number.POSITIVE_INFINITY) - offeredAtMs };
    },
  };
}

describe('600 endpoints of one tenant that answer 200 after 55 s', () => {
  const offerToSlow = ({ offer }: Awaited<ReturnType<typeof createWorld>>, each: number): void => {
    for (let at = 0; at < 600; at += 1) for (let one = 0; one < each; one += 1) offer('slow', `slow${at}`);
  };

  it('hold up none of another tenant’s deliveries, from the first on', async () => {
    const world = await createWorld();
    const { clock, offer } = world;
    const others: { waitedMs: () => number }[] = [];
    for (let second = 0; second < 90; second += 1) {
      if (second % 10 === 0) offerToSlow(world, 2);
      others.push(offer('other', `quick${second % 5}`));
      await clock.advance(1_000);
    }
    expect(world.inFlight.most).toBe(400);
    expect(others.map(({ waitedMs }) => waitedMs())).toEqual(Array(90).fill(0));
  });

  it('once they are known leave a quarter of their tenant’s share to its other endpoints, with no breaker open', async () => {
    const world = await createWorld();
    const { clock, offer } = world;
    // Unknown endpoints may have the rest: it takes some turns until each has had one.
    for (let turn = 0; turn < 5; turn += 1) {
      offerToSlow(world, 1);
      await clock.advance(2 * slowMs);
    }
    offerToSlow(world, 3);
    await clock.advance(1_000);
    expect(world.inFlight.slow).toBe(300);
    const own = Array.from({ length: 100 }, (_, at) => offer('slow', `quick${at}`));
    await clock.advance(1_000);
    expect(own.map(({ waitedMs }) => waitedMs())).toEqual(Array(100).fill(0));
  });
});

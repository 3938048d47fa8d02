import { AppError, createManualClock } from '#lib/runtime';
import { createBreakerReports } from '../../../services/dispatcher/endpoints/report-breakers.ts';

const endpoint = { tenant: 'acme', endpointId: 'ep_1' };

function createWorld() {
  const clock = createManualClock();
  const world = { away: false, written: [] as string[] };
  const reports = createBreakerReports({
    postgres: {
      async query<T extends object>(text: string, values: readonly unknown[] = []): Promise<T[]> {
        if (world.away) throw new AppError('store_unavailable', 'away');
        const [, ids, states] = values as string[][];
        world.written.push(`${text.trim().split(' ')[0]} ${ids?.join()} ${states?.join() ?? ''}`.trim());
        return [];
      },
    },
    clock,
  });
  return { world, clock, ...reports };
}

describe('a circuit breaker', () => {
  it('is written when it opens, half-opens and closes, and not for each probe between', async () => {
    const { world, clock, observe, settle } = createWorld();
    for (const kind of ['open', 'open', 'probe', 'open'] as const) {
      observe(endpoint, kind);
      await settle();
      await clock.advance(1_000);
    }
    observe(endpoint, 'half-open');
    await settle();
    observe(endpoint, 'shrunk');
    observe(endpoint, 'healthy');
    await settle();
    await settle();
    expect(world.written).toEqual(['INSERT ep_1 open', 'INSERT ep_1 half_open', 'DELETE ep_1']);
  });

  it('is told again each minute while its endpoint is sent to, and not otherwise', async () => {
    const { world, clock, observe, settle } = createWorld();
    observe(endpoint, 'open');
    await settle();
    await clock.advance(61_000);
    await settle();
    expect(world.written).toHaveLength(1);
    observe(endpoint, 'open');
    await settle();
    expect(world.written).toEqual(['INSERT ep_1 open', 'INSERT ep_1 open']);
  });

  it('is written with its last state when Postgres is back, and never if it was closed all the time', async () => {
    const { world, observe, settle } = createWorld();
    observe({ ...endpoint, endpointId: 'ep_2' }, 'slow');
    world.away = true;
    observe(endpoint, 'open');
    await expect(settle()).rejects.toThrow('away');
    observe(endpoint, 'half-open');
    world.away = false;
    await settle();
    expect(world.written).toEqual(['INSERT ep_1 half_open']);
  });
});

import { seededRandom } from '../../support/seeded-random.ts';
import { pipelineServices } from '../../support/stack.ts';
import { fewestSamples, judgeSamples } from '../../bench/soak/judge.ts';
import type { ProcessSample, Sample } from '../../bench/soak/sample.ts';
import { floorOf, slopeOf } from '../../bench/soak/trend.ts';

const everySeconds = 10;
const anHour = 360;

type Leaks = Partial<{
  /** Added to the dedup's, by seconds since the load began. */
  dedup: (atSeconds: number) => Partial<ProcessSample>;
  lagPerSecond: number;
  waitingPerSecond: number;
  sessionsPerHour: number;
  redisClientsPerHour: number;
}>;

/** As a healthy run looks: a heap like a saw, memory that settles within the warm-up, numbers that come and go. */
function runOf(samples: number, leaks: Leaks = {}): Sample[] {
  const random = seededRandom(7);
  const noise = (most: number): number => (random() - 0.5) * 2 * most;
  return Array.from({ length: samples }, (_, index): Sample => {
    const atSeconds = index * everySeconds;
    const hours = atSeconds / 3_600;
    const warmUp = 40 * (1 - Math.exp((-20 * index) / samples));
    const processOf = (leak: Partial<ProcessSample>): ProcessSample => ({
      residentMib: 120 + warmUp + ((atSeconds * 0.29) % 25) + noise(4) + (leak.residentMib ?? 0),
      heapMib: 40 + ((atSeconds * 0.37) % 30) + noise(2) + (leak.heapMib ?? 0),
      externalMib: 5 + noise(1),
      handles: Math.round(45 + noise(6) + (leak.handles ?? 0)),
      connections: Math.round(25 + noise(6) + (leak.connections ?? 0)),
      threads: 11 + (leak.threads ?? 0),
      loopLagP99Ms: 12 + noise(3),
      processorSeconds: atSeconds * 0.2,
    });
    const group = { written: atSeconds * 50, lag: Math.max(0, Math.round(60 + noise(50))) };
    return {
      atSeconds,
      processes: Object.fromEntries(
        pipelineServices.map((name) => [name, processOf(name === 'dedup' ? (leaks.dedup?.(atSeconds) ?? {}) : {})]),
      ) as Sample['processes'],
      topics: {
        dedup: group,
        'fan-out': { ...group, lag: group.lag + Math.round((leaks.lagPerSecond ?? 0) * atSeconds) },
        dispatcher: group,
        projector: group,
      },
      postgres: {
        sessions: Math.round(30 + noise(3) + (leaks.sessionsPerHour ?? 0) * hours),
        waiting: Math.round(80 + noise(60) + (leaks.waitingPerSecond ?? 0) * atSeconds),
        unpublished: random() < 0.1 ? 1 : 0,
        tableMib: { events: 10 + 80 * hours },
      },
      redis: {
        usedMib: 4 + 20 * hours,
        keys: Math.round(40 * atSeconds),
        clients: Math.round(9 + (leaks.redisClientsPerHour ?? 0) * hours),
      },
      accepted: atSeconds * 50,
      arrived: atSeconds * 90,
    };
  });
}

const grown = (samples: Sample[]): string[] =>
  judgeSamples(samples)
    .filter(({ isFlat }) => !isFlat)
    .map(({ what, of }) => `${what} of ${of}`);

describe('a soak is judged', () => {
  it.each([
    ['five minutes', 31],
    ['an hour', anHour],
    ['a day', 24 * anHour],
  ])('flat where only noise, a saw and a warm-up are, for %s', (_, samples) => {
    expect(grown(runOf(samples))).toEqual([]);
  });

  it.each<[string, Leaks, string[]]>([
    [
      '200 bytes of memory a webhook',
      { dedup: (at) => ({ residentMib: (at * 100 * 200) / 2 ** 20 }) },
      ['memory of dedup'],
    ],
    [
      '200 bytes of a heap that is a saw',
      { dedup: (at) => ({ heapMib: (at * 100 * 200) / 2 ** 20 }) },
      ['heap of dedup'],
    ],
    ['a handle every five minutes', { dedup: (at) => ({ handles: at / 300 }) }, ['handles of dedup']],
    ['a connection every five minutes', { dedup: (at) => ({ connections: at / 300 }) }, ['connections of dedup']],
    ['a thread every five minutes', { dedup: (at) => ({ threads: Math.floor(at / 300) }) }, ['threads of dedup']],
    ['a group that does 0.2 % less than what comes', { lagPerSecond: 0.1 }, ['lag of fan-out']],
    ['a delivery of twenty seconds that is never sent', { waitingPerSecond: 0.15 }, ['waiting of postgres']],
    ['sessions of Postgres', { sessionsPerHour: 10 }, ['connections of postgres']],
    ['clients of Redis', { redisClientsPerHour: 10 }, ['connections of redis']],
  ])('not flat with a leak of %s, in an hour', (_, leaks, found) => {
    expect(grown(runOf(anHour, leaks))).toEqual(found);
  });

  it('flat where something only falls', () => {
    expect(grown(runOf(anHour, { dedup: (at) => ({ residentMib: -at / 100 }), lagPerSecond: -0.001 }))).toEqual([]);
  });

  it('not at all where there are too few samples', () => {
    expect(() => judgeSamples(runOf(fewestSamples))).toThrow(/samples after the warm-up/);
  });

  it('not flat where a value is missing', () => {
    expect(grown(runOf(anHour, { dedup: () => ({ handles: Number.NaN }) }))).toEqual(['handles of dedup']);
  });
});

describe('a slope', () => {
  const line = (length: number, valueOf: (index: number) => number) =>
    Array.from({ length }, (_, index) => ({ atSeconds: index, value: valueOf(index) }));

  it('is that of most pairs, whatever a quarter of the values say', () => {
    const wild = line(100, (index) => (index % 4 === 0 ? 1e6 * (index % 3) : 2 * index));
    expect(slopeOf(wild)).toBeCloseTo(2, 1);
  });

  it('is the same of more points than are compared one by one', () => {
    expect(slopeOf(line(10_000, (index) => 3 * index + (index % 2)))).toBeCloseTo(3, 3);
  });

  it('of a saw is that of its floor', () => {
    const saw = line(300, (index) => index * 0.1 + (index % 37));
    expect(slopeOf(floorOf(saw, 37))).toBeCloseTo(0.1, 2);
  });
});

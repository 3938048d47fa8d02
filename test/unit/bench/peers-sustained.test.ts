import { judgeSustained, type Tried } from '../../bench/peers/sustained.ts';
import { searchRate } from '../../bench/peers/search-rate.ts';

/** For twelve seconds at 100 a second, with so many that have not arrived at the end of each. */
const tried = (backlogs: readonly number[], more: Partial<Tried> = {}): Tried => ({
  perSecond: 100,
  endpoints: 1,
  published: 1_200,
  acknowledged: 1_200,
  publishedSeconds: 12,
  moments: backlogs.map((backlog, index) => ({
    second: index + 1,
    acknowledged: 100 * (index + 1),
    arrived: 0,
    outstanding: backlog,
  })),
  ...more,
});
const steady = (backlog: number): number[] => Array.from({ length: 12 }, () => backlog);

describe('a rate is sustained', () => {
  it('with a backlog that stays, also one that has formed at the start', () => {
    expect(judgeSustained(tried(steady(150))).isSustained).toBe(true);
    expect(judgeSustained(tried([300, 280, 200, 100, ...steady(20).slice(4)])).isSustained).toBe(true);
  });

  it('not with one that grows, be it small', () => {
    const growing = Array.from({ length: 12 }, (_, second) => 8 * second);
    expect(judgeSustained(tried(growing))).toEqual({
      isSustained: false,
      says: 'the backlog grows, from 44 to 76',
    });
  });

  it('not with one of more than what comes in a second and a half', () => {
    expect(judgeSustained(tried(steady(200))).isSustained).toBe(true);
    expect(judgeSustained(tried(steady(201)))).toEqual({ isSustained: false, says: 'a backlog of 201' });
  });

  it('not where one of a hundred was refused', () => {
    expect(judgeSustained(tried(steady(5), { acknowledged: 1_188 })).isSustained).toBe(true);
    expect(judgeSustained(tried(steady(5), { acknowledged: 1_187 })).says).toBe('1187 of 1200 acknowledged');
  });

  it('not where acknowledgments take longer than what is due', () => {
    expect(judgeSustained(tried(steady(5), { publishedSeconds: 12.6 })).isSustained).toBe(true);
    expect(judgeSustained(tried(steady(5), { publishedSeconds: 12.7 })).isSustained).toBe(false);
  });

  it('by arrivals at all endpoints that get an event', () => {
    expect(judgeSustained(tried(steady(1_500), { endpoints: 10 })).isSustained).toBe(true);
  });
});

describe('the search for the highest rate', () => {
  const upTo = (limit: number, heldUpTo = limit) => {
    const asked: string[] = [];
    return {
      asked,
      probe: (rate: number) => Promise.resolve(asked.push(`${rate}`) > 0 && rate <= limit),
      hold: (rate: number) => Promise.resolve(asked.push(`${rate} held`) > 0 && rate <= heldUpTo),
    };
  };

  it('goes up until it is too much, then in between, then holds what it has found', async () => {
    const system = upTo(180);
    expect(await searchRate({ first: 100, ...system })).toBe(168);
    expect(system.asked).toEqual(['100', '140', '196', '168', '168 held']);
  });

  it('goes down from a first rate that is too much', async () => {
    expect(await searchRate({ first: 100, ...upTo(60) })).toBe(60);
  });

  it('holds less where what was probed is not held', async () => {
    expect(await searchRate({ first: 100, ...upTo(180, 150) })).toBe(148);
  });

  it('finds nothing where nothing is held', async () => {
    expect(await searchRate({ first: 100, ...upTo(180, 0) })).toBeUndefined();
  });
});

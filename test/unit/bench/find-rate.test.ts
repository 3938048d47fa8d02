import { findHighestRate, type Tried } from '../../bench/traffic/find-rate.ts';

/**
 * One that works off so many a second, and refuses nothing; a backlog is worked off as soon as it was looked at.
 *
 * @param queued how much of it is not seen as one
 */
function systemOf(capacity: number, failing: (tries: number) => boolean = () => false, queued = 0) {
  let left = 0;
  let sent = 0;
  const tried: Tried[] = [];
  return {
    tried,
    async send(perSecond: number, seconds: number) {
      sent += 1;
      left = Math.max(0, (perSecond - capacity) * seconds - queued);
      return failing(sent) ? 1 : 0;
    },
    async backlog() {
      const found = left;
      left = 0;
      return found;
    },
    onTried: (each: Tried) => void tried.push(each),
  };
}

describe('the search for the highest rate', () => {
  it.each([25, 100, 170, 1_000])(
    'comes near to %d a second, from below or by the backlog that is allowed',
    async (capacity) => {
      const found = await findHighestRate(systemOf(capacity));
      expect(found).toBeGreaterThan(capacity * 0.85);
      expect(found).toBeLessThan(capacity * 1.09);
    },
  );

  it('takes a rate that has failed once, and not one that has failed twice', async () => {
    const once = systemOf(100, (tries) => tries === 3);
    const quiet = systemOf(100);
    expect(await findHighestRate(once)).toBe(await findHighestRate(quiet));
    const twice = systemOf(100, (tries) => tries === 3 || tries === 4);
    expect(await findHighestRate(twice)).toBeLessThan(40);
    expect(twice.tried.filter(({ perSecond }) => perSecond === 40)).toHaveLength(2);
  });

  it('takes no rate that fills the queues in a minute, though a short try does not show it', async () => {
    const found = await findHighestRate(systemOf(100, undefined, 1_500));
    expect(found).toBeGreaterThan(85);
    expect(found).toBeLessThan(130);
  });

  it('does not count what comes before the first try', async () => {
    expect(await findHighestRate(systemOf(100, (tries) => tries === 1))).toBeGreaterThan(85);
  });

  it('says so where not even the first rate is sustained', async () => {
    await expect(findHighestRate(systemOf(5))).rejects.toThrow('not even 20 a second are sustained');
  });
});

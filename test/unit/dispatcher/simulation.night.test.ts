import { isFinal } from '#lib/contract';
import { simulate, type Mutant, type Result } from './simulation.ts';

const seeds = Array.from({ length: 40 }, (_, at) => 1_000 + at);

const lost = ({ deliveries }: Result): string[] =>
  deliveries.filter(({ status }) => status === 'unknown' || !isFinal(status)).map(({ id }) => id);
const sentTooOften = ({ deliveries }: Result): string[] =>
  deliveries
    .filter(({ sends, attempts }) => sends !== attempts)
    .map(({ id, sends, attempts }) => `${id}: ${sends} for ${attempts}`);

const outOfOrder = (result: Result): string[] => result.outOfOrder;

const overSeeds = async (options: { kills: number }, fault: (result: Result) => string[]): Promise<string[]> => {
  const faults: string[] = [];
  for (const seed of seeds) faults.push(...fault(await simulate(seed, options)).map((what) => `seed ${seed}: ${what}`));
  return faults;
};

/** Some faults take a rare coincidence: the first one that is met will do. */
const mutantSeeds = Array.from({ length: 1_500 }, (_, at) => 10_000 + at);

async function findFault(
  options: { kills: number; mutant: Mutant },
  fault: (result: Result) => string[],
): Promise<string | undefined> {
  for (const seed of mutantSeeds) {
    const [found] = fault(await simulate(seed, options));
    if (found !== undefined) return `seed ${seed}: ${found}`;
  }
  return undefined;
}

describe('deliveries on their way, with a projector that lags', () => {
  it('end, each sent exactly as often as its record says, while nothing dies', async () => {
    expect(
      await overSeeds({ kills: 0 }, (result) => [...lost(result), ...sentTooOften(result), ...result.outOfOrder]),
    ).toEqual([]);
  });

  it('end, with their dead letters, wherever the process is killed, and none is sent that is known to have ended', async () => {
    let kills = 0;
    const faults = await overSeeds({ kills: 5 }, (result) => {
      kills += result.kills;
      return [...lost(result), ...result.withoutDeadLetter, ...result.sentAfterEnd, ...result.outOfOrder];
    });
    expect(faults).toEqual([]);
    expect(kills).toBeGreaterThan(seeds.length * 3);
  });

  it.each<[string, { kills: number; mutant: Mutant }, (result: Result) => string[]]>([
    ['lost, if they are done before that is written', { kills: 5, mutant: { doneEarly: true } }, lost],
    ['lost, if a row is removed whatever its step', { kills: 0, mutant: { removesLaterSteps: true } }, lost],
    [
      'sent again though it has ended, if a record that comes again is not looked up',
      { kills: 5, mutant: { trusting: true } },
      ({ sentAfterEnd }) => sentAfterEnd,
    ],
    [
      'sent again though it has ended, if an end on one way does not hold for the other',
      { kills: 5, mutant: { reopening: true } },
      ({ sentAfterEnd }) => sentAfterEnd,
    ],
    [
      'without an end, if the tables take none in a step that is not higher than what they know',
      { kills: 5, mutant: { deaf: true } },
      lost,
    ],
    [
      'sent out of order, if the next goes though the one before waits',
      { kills: 0, mutant: { impatient: true } },
      outOfOrder,
    ],
    [
      'sent out of order, if rows of the key are no reason to wait',
      { kills: 0, mutant: { unblocked: true } },
      outOfOrder,
    ],
    [
      'sent out of order, if a row is durable later than its record',
      { kills: 5, mutant: { rowLate: true } },
      outOfOrder,
    ],
    [
      'sent out of order, if rows go though not every record before them was seen',
      { kills: 5, mutant: { hasty: true } },
      outOfOrder,
    ],
    [
      'sent out of order, if what was read a moment ago is taken for the order that is',
      { kills: 5, mutant: { stale: true } },
      outOfOrder,
    ],
    ['sent twice, if what was lately done is not remembered', { kills: 0, mutant: { forgetful: true } }, sentTooOften],
  ])('would be %s', async (_title, options, fault) => {
    expect(await findFault(options, fault)).toBeDefined();
  });
});

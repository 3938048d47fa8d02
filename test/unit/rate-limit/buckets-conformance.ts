import { type BucketAnswer, type Rate, type SharedBuckets } from '#lib/rate-limit';

interface Subject {
  buckets(processId: string): SharedBuckets;
  /** Lets at least this time pass, and a little more at most. */
  pass(ms: number): Promise<void>;
}

/** The conformance suite of shared buckets: run by the fake that unit tests use, and by Redis. `create` gives an empty one. */
export function describeBuckets(name: string, create: () => Promise<Subject> | Subject): void {
  describe(`shared buckets (${name})`, () => {
    let subject: Subject;
    beforeEach(async () => {
      subject = await create();
    });

    /** So slow that nothing comes back during a test, unless it says so. */
    const rate: Rate = { perSecond: 0.001, burst: 10 };
    const ask = (
      processId: string,
      now: number,
      given: { ahead?: number; unused?: number; debt?: number; rate?: Rate; key?: string } = {},
    ): Promise<BucketAnswer> =>
      subject.buckets(processId).ask({ key: 'k', rate, unused: 0, debt: 0, now, ahead: 0, ...given });

    it('grant what is wanted until the burst is used up, however many ask', async () => {
      expect(await ask('a', 4)).toMatchObject({ granted: 4, processes: 1 });
      expect(await ask('b', 4)).toMatchObject({ granted: 4, processes: 2 });
      expect(await ask('c', 4)).toMatchObject({ granted: 2, processes: 3 });
      const last = await ask('a', 1);
      expect(last.granted).toBe(0);
      expect(last.free).toBeLessThan(0.01);
    });

    it('have one bucket for each key', async () => {
      expect(await ask('a', 10)).toMatchObject({ granted: 10 });
      expect(await ask('a', 10, { key: 'other' })).toMatchObject({ granted: 10 });
    });

    it('grow by the rate', async () => {
      const fast: Rate = { perSecond: 10, burst: 10 };
      await ask('a', 10, { rate: fast });
      await subject.pass(310);
      const { granted } = await ask('a', 10, { rate: fast });
      expect(granted).toBeGreaterThanOrEqual(3);
      expect(granted).toBeLessThan(10);
    });

    it('do not grow above the burst by what processes hold and have not used', async () => {
      const fast: Rate = { perSecond: 1_000, burst: 10 };
      expect(await ask('a', 1, { rate: fast, ahead: 6 })).toMatchObject({ granted: 7 });
      await subject.pass(50);
      expect(await ask('b', 10, { rate: fast })).toMatchObject({ granted: 4 });
      // The first has used two: those, and no more, may come back.
      await ask('a', 0, { rate: fast, unused: 4 });
      await subject.pass(50);
      expect(await ask('b', 10, { rate: fast })).toMatchObject({ granted: 6 });
    });

    it('count what somebody holds that they do not know of, as after a loss of memory', async () => {
      expect(await ask('a', 10, { unused: 6 })).toMatchObject({ granted: 4 });
    });

    it('forget what a process holds that has not asked for two seconds', async () => {
      const fast: Rate = { perSecond: 1_000, burst: 10 };
      expect(await ask('a', 0, { rate: fast, ahead: 10 })).toMatchObject({ granted: 10 });
      await subject.pass(1_000);
      expect(await ask('b', 10, { rate: fast })).toMatchObject({ granted: 0 });
      await subject.pass(1_050);
      expect(await ask('b', 10, { rate: fast })).toMatchObject({ granted: 10 });
    });

    it('take off what was given out without them, down to one burst below nothing', async () => {
      expect(await ask('a', 10, { debt: 7 })).toMatchObject({ granted: 3 });
      expect((await ask('a', 1, { debt: 1_000 })).free).toBeCloseTo(-10, 1);
      expect((await ask('a', 1)).granted).toBe(0);
    });

    it('follow a change of the rate', async () => {
      await ask('a', 5);
      expect(await ask('a', 10, { rate: { perSecond: 0.001, burst: 3 } })).toMatchObject({ granted: 3 });
      const fast: Rate = { perSecond: 1_000, burst: 20 };
      await subject.pass(50);
      expect((await ask('a', 20, { rate: fast, unused: 0 })).granted).toBeGreaterThan(10);
    });
  });
}

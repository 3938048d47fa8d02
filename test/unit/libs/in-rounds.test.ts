import { createManualClock, inRounds, silentLogger } from '#lib/runtime';

function createWorld(lastRound: boolean) {
  const clock = createManualClock();
  const lines: Record<string, unknown>[] = [];
  const rounds: number[] = [];
  const part = inRounds(
    async (signal) => {
      rounds.push(clock.nowMs());
      if (rounds.length === 2) throw new Error('once');
      if (rounds.length === 4) await clock.sleep(3_600_000, signal);
    },
    { name: 'work', everyMs: 1_000, lastRound, clock, log: { ...silentLogger, warn: (line) => void lines.push(line) } },
  );
  return { clock, lines, rounds, part };
}

describe('work in rounds', () => {
  it('goes on after a round that failed, and says so', async () => {
    const { clock, lines, rounds, part } = createWorld(false);
    await part.start();
    await clock.advance(2_500);
    expect(rounds).toHaveLength(3);
    expect(lines).toMatchObject([{ event: 'round.failed', part: 'work' }]);
    await part.stop();
  });

  it('ends at once when it is stopped, with one round more where that is wanted', async () => {
    for (const lastRound of [false, true]) {
      const { clock, rounds, part } = createWorld(lastRound);
      await part.start();
      await clock.advance(3_500);
      expect(rounds).toHaveLength(4);
      await part.stop();
      expect(rounds).toHaveLength(lastRound ? 5 : 4);
      await clock.advance(10_000);
      expect(rounds).toHaveLength(lastRound ? 5 : 4);
    }
  });

  it('can begin with a pause, which a stop ends without a round', async () => {
    const clock = createManualClock();
    const startMs = clock.nowMs();
    const rounds: number[] = [];
    const note = async () => void rounds.push(clock.nowMs() - startMs);
    const part = inRounds(note, { name: 'work', everyMs: 1_000, waitsFirst: true, clock, log: silentLogger });
    await part.start();
    await clock.advance(2_500);
    expect(rounds).toEqual([1_000, 2_000]);
    await part.stop();
    expect(rounds).toHaveLength(2);
  });

  it('asks after each round how long to pause, where that depends on the round', async () => {
    const clock = createManualClock();
    const startMs = clock.nowMs();
    const rounds: number[] = [];
    const note = async () => void rounds.push(clock.nowMs() - startMs);
    const everyMs = () => 100 * rounds.length;
    const part = inRounds(note, { name: 'work', everyMs, clock, log: silentLogger });
    await part.start();
    await clock.advance(650);
    expect(rounds).toEqual([0, 100, 300, 600]);
    await part.stop();
  });
});

describe('rounds of several parts', () => {
  const startAt = async (clock: ReturnType<typeof createManualClock>, everyMs: number, work: () => Promise<void>) => {
    const part = inRounds(work, { name: `every ${everyMs}`, everyMs, waitsFirst: true, clock, log: silentLogger });
    await part.start();
    return part;
  };

  it('wake together, whenever each was started and however long its work takes', async () => {
    const clock = createManualClock();
    const startMs = clock.nowMs();
    const woken = new Map<number, number>();
    const parts = [];
    for (const [index, everyMs] of [1_000, 1_000, 5_000, 1_000, 500, 5_000, 2_000].entries()) {
      await clock.advance(137);
      const work = async () => {
        woken.set(clock.nowMs() - startMs, (woken.get(clock.nowMs() - startMs) ?? 0) + 1);
        await clock.sleep(index * 10);
      };
      parts.push(await startAt(clock, everyMs, work));
    }
    await clock.advance(20_000 - (clock.nowMs() - startMs));
    expect([...woken.keys()].filter((atMs) => atMs % 500 !== 0)).toEqual([]);
    // Twice a second, instead of six times.
    expect(woken.size).toBeLessThanOrEqual(40);
    const stopped = Promise.all(parts.map((part) => part.stop()));
    await clock.advance(1_000);
    await stopped;
  });

  it('rest for the whole pause after work that took long', async () => {
    const clock = createManualClock();
    const startMs = clock.nowMs();
    const rounds: number[] = [];
    const part = await startAt(clock, 1_000, async () => {
      rounds.push(clock.nowMs() - startMs);
      await clock.sleep(900);
    });
    await clock.advance(6_000);
    expect(rounds).toEqual([1_000, 2_900, 4_800]);
    const stopped = part.stop();
    await clock.advance(2_000);
    await stopped;
  });
});

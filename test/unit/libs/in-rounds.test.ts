import { createManualClock } from '#lib/clock';
import { inRounds } from '#lib/lifecycle';
import { silentLogger } from '#lib/log';

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

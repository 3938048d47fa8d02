import { systemClock } from '#lib/clock';
import { createOwnContext } from '../../support/own-context.ts';
import { followReplay, type Replay } from '../../../services/cli/api-calls/follow-replay.ts';

const replayAt = (replayed: number): Replay => ({
  id: 'rpl_1',
  status: replayed === 2 ? 'completed' : 'running',
  matched: 2,
  replayed,
  failed: 0,
  remaining: 2 - replayed,
});

const instantly = { ...systemClock, sleep: async () => undefined };

test('every change is told once, and the end is given', async () => {
  const looks = [0, 1, 1, 2, 2].map(replayAt);
  const look = async (): Promise<Replay> => looks.shift() ?? replayAt(2);
  const { context, stderr } = createOwnContext();
  expect(await followReplay({ ...context, clock: instantly }, replayAt(0), look, undefined)).toEqual(replayAt(2));
  expect(stderr().split('\n')).toEqual([
    'rpl_1: 0 replayed, 0 failed, 2 remaining',
    'rpl_1: 1 replayed, 0 failed, 1 remaining',
    'rpl_1: 2 replayed, 0 failed, 0 remaining',
    '',
  ]);
});

test('Ctrl-C stops watching, and says how to look and how to end the replay', async () => {
  const { context, stderr, signal } = createOwnContext();
  const interrupting = { ...systemClock, sleep: async () => void signal('SIGINT') };
  const watching = followReplay({ ...context, clock: interrupting }, replayAt(1), async () => replayAt(1), 'acme');
  expect(await watching).toBeUndefined();
  expect(stderr()).toContain('hookline dlq show rpl_1 --tenant acme shows its progress');
  expect(stderr()).toContain('hookline dlq cancel rpl_1 --tenant acme ends it');
  // Nothing listens any more.
  expect(signal('SIGINT')).toBe(false);
});

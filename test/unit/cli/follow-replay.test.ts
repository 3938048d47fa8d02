import { systemClock } from '#lib/clock';
import { followReplay, type Replay } from '../../../services/cli/api-calls/follow-replay.ts';

const replayAt = (replayed: number): Replay => ({
  id: 'rpl_1',
  status: replayed === 2 ? 'completed' : 'running',
  matched: 2,
  replayed,
  failed: 0,
  remaining: 2 - replayed,
});

let told = '';
beforeEach(() => {
  told = '';
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => ((told += String(text)), true));
});
afterEach(() => jest.restoreAllMocks());

const instantly = { ...systemClock, sleep: async () => undefined };

test('every change is told once, and the end is given', async () => {
  const looks = [0, 1, 1, 2, 2].map(replayAt);
  const look = async (): Promise<Replay> => looks.shift() ?? replayAt(2);
  expect(await followReplay(replayAt(0), look, { clock: instantly, tenant: undefined })).toEqual(replayAt(2));
  expect(told.split('\n')).toEqual([
    'rpl_1: 0 replayed, 0 failed, 2 remaining',
    'rpl_1: 1 replayed, 0 failed, 1 remaining',
    'rpl_1: 2 replayed, 0 failed, 0 remaining',
    '',
  ]);
});

test('Ctrl-C stops watching, and says how to look and how to end the replay', async () => {
  const interrupting = {
    ...systemClock,
    sleep: async () => void process.emit('SIGINT'),
  };
  const options = { clock: interrupting, tenant: 'acme' };
  expect(await followReplay(replayAt(1), async () => replayAt(1), options)).toBeUndefined();
  expect(told).toContain('hookline dlq show rpl_1 --tenant acme shows its progress');
  expect(told).toContain('hookline dlq cancel rpl_1 --tenant acme ends it');
  expect(process.listenerCount('SIGINT')).toBe(0);
});

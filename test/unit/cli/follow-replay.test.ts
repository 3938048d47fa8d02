import { systemClock } from '#lib/runtime';
import { exitCodeOf, followReplay, type Progress } from '../../../services/cli/api-calls/replays.ts';
import { createOwnContext } from '../../support/own-context.ts';

const nothing = { delivered: 0, waiting: 0, dead_lettered: 0, cancelled: 0 };

/** So many of its two items are sent, and so many of these have arrived. */
const replayAt = (replayed: number, delivered = 0): Progress => ({
  id: 'rpl_1',
  operation: null,
  status: replayed < 2 ? 'running' : delivered < 2 ? 'sent' : 'completed',
  replayed,
  failed: 0,
  remaining: 2 - replayed,
  outcome: { ...nothing, delivered, waiting: replayed - delivered },
});

const instantly = { ...systemClock, sleep: async () => undefined };
const waiting = { tenant: undefined, waitSeconds: 60 };

test('every change is told once, and the end is given: when what was sent has arrived', async () => {
  const looks = [replayAt(0), replayAt(1), replayAt(1), replayAt(2, 1), replayAt(2, 2), replayAt(2, 2)];
  const look = async (): Promise<Progress> => looks.shift() ?? replayAt(2, 2);
  const { context, stderr } = createOwnContext();
  const ended = await followReplay({ ...context, clock: instantly }, replayAt(0), look, waiting);
  expect(ended).toEqual(replayAt(2, 2));
  expect(stderr().split('\n')).toEqual([
    'rpl_1: 0 sent, 0 failed, 2 remaining; 0 delivered, 0 waiting, 0 dead-lettered',
    'rpl_1: 1 sent, 0 failed, 1 remaining; 0 delivered, 1 waiting, 0 dead-lettered',
    'rpl_1: 2 sent, 0 failed, 0 remaining; 1 delivered, 1 waiting, 0 dead-lettered',
    'rpl_1: 2 sent, 0 failed, 0 remaining; 2 delivered, 0 waiting, 0 dead-lettered',
    '',
  ]);
});

test('what was sent is waited for as long as --wait says, and sending itself as long as it takes', async () => {
  const { context } = createOwnContext();
  let looks = 0;
  const look = async (): Promise<Progress> => replayAt((looks += 1) < 10 ? 1 : 2);
  const last = await followReplay({ ...context, clock: instantly }, replayAt(0), look, { ...waiting, waitSeconds: 3 });
  expect(last).toEqual(replayAt(2));
  expect(looks).toBe(13);
});

test('Ctrl-C stops watching, and says how to look and how to end the replay', async () => {
  const { context, stderr, signal } = createOwnContext();
  const interrupting = { ...systemClock, sleep: async () => void signal('SIGINT') };
  const watching = followReplay({ ...context, clock: interrupting }, replayAt(1), async () => replayAt(1), {
    ...waiting,
    tenant: 'acme',
  });
  expect(await watching).toBeUndefined();
  expect(stderr()).toContain('hookline dlq show rpl_1 --tenant acme shows its progress');
  expect(stderr()).toContain('hookline dlq cancel rpl_1 --tenant acme ends it');
  // Nothing listens any more.
  expect(signal('SIGINT')).toBe(false);
});

test.each<[number, string, Partial<Progress>]>([
  [0, 'everything was delivered', { outcome: { ...nothing, delivered: 2 } }],
  [0, 'an earlier version has sent it, and nobody knows', { outcome: null }],
  [1, 'one is dead-lettered', { outcome: { ...nothing, delivered: 1, dead_lettered: 1 } }],
  [1, 'one is dead-lettered, and one waits', { status: 'sent', outcome: { ...nothing, waiting: 1, dead_lettered: 1 } }],
  [1, 'one was cancelled', { outcome: { ...nothing, delivered: 1, cancelled: 1 } }],
  [1, 'one could not be sent', { failed: 1, outcome: { ...nothing, delivered: 1 } }],
  [1, 'it was cancelled', { status: 'cancelled' }],
  [3, 'one waits', { status: 'sent', outcome: { ...nothing, delivered: 1, waiting: 1 } }],
  [0, 'all were cancelled, as was asked', { operation: 'cancel_deliveries', outcome: { ...nothing, cancelled: 2 } }],
  [3, 'one is still to be cancelled', { operation: 'cancel_deliveries', outcome: { ...nothing, waiting: 1 } }],
])('exits with %i where %s', (code, _what, state) => {
  expect(exitCodeOf({ ...replayAt(2, 2), ...state })).toBe(code);
});

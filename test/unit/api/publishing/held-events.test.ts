import { AppError, createManualClock, noCrashPoints } from '#lib/runtime';
import { createHeldEvents } from '../../../../services/api/outbox/held-events.ts';
import { type OutboxEvent, unclaimed } from '../../../../services/api/outbox/outbox-event.ts';
import { type PublishOutcome, sendsEndAfterMs } from '../../../../services/api/outbox/publish-one.ts';

const claimedUntil = '2026-11-29T12:00:30.000000Z';

const eventOf = (id: string, given: Partial<OutboxEvent> = {}): OutboxEvent => ({
  tenant: 't',
  id,
  source_id: 'api',
  event_id: null,
  type: 'a',
  receipt_id: `rcp_${id}`,
  origin: `api:${id}`,
  received_at: '2026-11-29T12:00:00.000000Z',
  dedup_key: Buffer.alloc(16),
  ordering_key: null,
  traceparent: '',
  content_type: 'application/json',
  content_encoding: null,
  payload: Buffer.from('0123456789'),
  tags: null,
  claimed_until: claimedUntil,
  ...given,
});

function open({ isKnown = true, maxBytes = 25 } = {}) {
  const clock = createManualClock();
  const sent: string[] = [];
  const removed: [id: string, isUrgent: boolean][] = [];
  const released: string[] = [];
  const left: string[] = [];
  let outcome: PublishOutcome | Promise<PublishOutcome> = 'published';
  const publishOne = async ({ id }: OutboxEvent): Promise<PublishOutcome> => {
    sent.push(id);
    return outcome;
  };
  const held = createHeldEvents({
    publishOne: () => (isKnown ? publishOne : undefined),
    removals: { add: ({ id }, isUrgent) => void removed.push([id, isUrgent]) },
    releases: { add: ({ id }) => void released.push(id) },
    onUnclaimed: (rows) => void left.push(...rows.map(({ id }) => id)),
    crashPoints: noCrashPoints,
    clock,
    maxBytes,
  });
  return { clock, held, sent, removed, released, left, answer: (next: typeof outcome) => void (outcome = next) };
}

test('events are sent once their COMMIT is known, and their rows removed; those of a key at once', async () => {
  const { held, sent, removed, released, left } = open();
  const hold = held.hold(20);
  expect([hold.isClaiming, sent]).toEqual([true, []]);
  hold.committed([eventOf('a'), eventOf('b', { ordering_key: 'k' })]);
  await held.settled();
  expect(sent).toEqual(['a', 'b']);
  expect(removed).toEqual([
    ['a', false],
    ['b', true],
  ]);
  expect([released, left]).toEqual([[], []]);
});

test('those without a claim are left to the sweep', async () => {
  const { held, sent, left } = open();
  held.hold(20).committed([eventOf('a'), eventOf('b', { claimed_until: unclaimed, ordering_key: 'k' })]);
  await held.settled();
  expect([sent, left]).toEqual([['a'], ['b']]);
});

test('of an unknown COMMIT nothing is sent: claims are given back', async () => {
  const { held, sent, released } = open();
  held.hold(20).unknown([eventOf('a'), eventOf('b', { claimed_until: unclaimed })]);
  await held.settled();
  expect([sent, released]).toEqual([[], ['a']]);
});

test('nothing is sent that might be acknowledged after the end of its claim', async () => {
  const { clock, held, sent, released } = open();
  const [early, late] = [held.hold(10), held.hold(10)];
  await clock.advance(sendsEndAfterMs - 1);
  early.committed([eventOf('early')]);
  await clock.advance(1);
  late.committed([eventOf('late')]);
  await held.settled();
  expect([sent, released]).toEqual([['early'], ['late']]);
});

test('what Kafka does not take now is given back; what it never takes stays claimed, for its next try', async () => {
  const { held, removed, released, answer } = open();
  answer(new AppError('kafka_unavailable', 'away'));
  held.hold(10).committed([eventOf('later')]);
  await held.settled();
  answer(new AppError('data_invalid', 'never'));
  held.hold(10).committed([eventOf('never')]);
  await held.settled();
  expect([removed, released]).toEqual([[], ['later']]);
});

test('there is room for so many bytes that are not acknowledged, whatever becomes of them', async () => {
  const { held, answer } = open();
  const isClaiming = (bytes: number): boolean => {
    const hold = held.hold(bytes);
    hold.none();
    return hold.isClaiming;
  };
  const acknowledged = Promise.withResolvers<PublishOutcome>();
  answer(acknowledged.promise);
  // Two were to be inserted, and one was known already.
  held.hold(20).committed([eventOf('a')]);
  expect([isClaiming(15), isClaiming(16)]).toEqual([true, false]);
  held.hold(15).unknown([eventOf('b')]);
  expect(isClaiming(15)).toBe(true);
  acknowledged.resolve('published');
  await held.settled();
  expect([isClaiming(25), isClaiming(26)]).toEqual([true, false]);
});

test('nothing is claimed before it is known how to publish', () => {
  const { held } = open({ isKnown: false });
  expect(held.hold(1).isClaiming).toBe(false);
});

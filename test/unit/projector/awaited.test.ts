import { awaitedForMs, everyTenant } from '#lib/event-store';
import { createManualClock } from '#lib/runtime';
import { createAwaited } from '../../../services/projector/awaited.ts';
import type { Fact } from '../../../services/projector/facts.ts';
import { deadLetterFact, duplicateFact, eventFact, fanOutFact, outcomeFact, startAt } from './facts.ts';

const event = { tenant: 'acme', eventId: 'evt' };

function setUp() {
  const clock = createManualClock(startAt / 1_000);
  let ended = 0;
  const awaited = createAwaited(clock, () => (ended += 1));
  return { clock, awaited, ended: () => ended };
}

const retryIn = (ms: number): Fact => {
  const fact = outcomeFact(event, 'ep', 1, 'retrying') as Extract<Fact, { kind: 'outcome' }>;
  return { ...fact, outcome: { ...fact.outcome, next_attempt_at: startAt + ms * 1_000 } };
};

test.each([
  ['a retry that is due now', retryIn(0), true],
  ['one that was due before', retryIn(-60_000), true],
  ['one that is due within five seconds', retryIn(5_000), true],
  ['one that is due later', retryIn(5_001), false],
  ['a delivery that waits for room', outcomeFact(event, 'ep', 1, 'parked'), true],
  ['a delivery that has ended', outcomeFact(event, 'ep', 1, 'delivered'), false],
  ['one that died', outcomeFact(event, 'ep', 1, 'dead_lettered'), false],
  ['a dead letter', deadLetterFact('acme', 'received-0-0'), true],
  ['an event', eventFact(event), false],
  ['a set', fanOutFact(event, ['ep']), false],
  ['a duplicate', duplicateFact(event, { origin: 'received-0-1' }), false],
])('somebody waits, or not: %s', (_what, fact, isAwaited) => {
  expect(setUp().awaited.has(fact)).toBe(isAwaited);
});

test('everything of a tenant that a request waits for is waited for, until it was not heard of for some seconds', async () => {
  const { clock, awaited } = setUp();
  awaited.heard('acme');
  await clock.advance(awaitedForMs - 1);
  expect(awaited.has(eventFact(event))).toBe(true);
  expect(awaited.has(eventFact({ ...event, tenant: 'other' }))).toBe(false);
  awaited.heard('acme');
  await clock.advance(awaitedForMs - 1);
  expect(awaited.has(eventFact(event))).toBe(true);
  await clock.advance(1);
  expect(awaited.has(eventFact(event))).toBe(false);
});

test('a tenant that is heard of anew ends the gathering; one that is known does not', async () => {
  const { clock, awaited, ended } = setUp();
  awaited.heard('acme');
  awaited.heard('acme');
  expect(ended()).toBe(1);
  awaited.heard('other');
  expect(ended()).toBe(2);
  await clock.advance(awaitedForMs);
  awaited.heard('acme');
  expect(ended()).toBe(3);
});

test('all tenants can be waited for', () => {
  const { awaited } = setUp();
  awaited.heard(everyTenant);
  expect(awaited.has(eventFact(event))).toBe(true);
});

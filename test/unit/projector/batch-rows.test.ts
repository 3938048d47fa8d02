import fc from 'fast-check';
import type { DeliveryStatus } from '#lib/contract';
import { toBatchRows } from '../../../services/projector/batch-rows.ts';
import type { Fact } from '../../../services/projector/facts.ts';
import { duplicateFact, eventFact, fanOutFact, deadLetterFact, outcomeFact } from './facts.ts';

const named = { tenant: 't', eventId: 'evt' };
const rowsOf = (facts: Fact[]) => toBatchRows(facts, (endpointId) => endpointId.length);
const lastSteps = (facts: Fact[]) =>
  rowsOf(facts)
    .outcomes.filter(({ last }) => last)
    .map(({ delivery_id, step, status }) => [delivery_id, step, status]);

test('every event that a fact names is touched, once; a dead letter touches none', () => {
  const { touched } = rowsOf([
    outcomeFact(named, 'ep', 1, 'delivered'),
    eventFact(named),
    duplicateFact({ tenant: 's', eventId: 'evt' }, { origin: 'o' }),
    fanOutFact({ tenant: 't', eventId: 'ev' }, []),
    deadLetterFact('t', 'o'),
  ]);
  expect(touched).toEqual([
    { tenant: 's', event_id: 'evt' },
    { tenant: 't', event_id: 'ev' },
    { tenant: 't', event_id: 'evt' },
  ]);
});

test('rows are in the order of their keys, whatever the order of the facts', () => {
  const facts = ['c', 'a', 'b'].flatMap((eventId) => [
    eventFact({ tenant: 't', eventId }),
    duplicateFact({ tenant: 't', eventId }, { origin: `o-${eventId}` }),
    fanOutFact({ tenant: 't', eventId }, ['ep_b', 'ep_a']),
    outcomeFact({ tenant: 't', eventId }, 'ep_a', 1, 'parked'),
    deadLetterFact('t', `o-${eventId}`),
  ]);
  const sorted = rowsOf(facts);
  fc.assert(
    fc.property(fc.shuffledSubarray(facts, { minLength: facts.length }), (shuffled) => {
      expect(rowsOf(shuffled)).toEqual(sorted);
    }),
    { numRuns: 20 },
  );
  expect(sorted.events.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
});

test('an event that is in the batch twice is inserted once', () => {
  expect(rowsOf([eventFact(named), eventFact(named)]).events).toHaveLength(1);
});

test('an empty set is a row without a delivery: the set is known all the same', () => {
  expect(rowsOf([fanOutFact(named, [])]).fanOuts).toMatchObject([
    { event_id: 'evt', generation: 0, delivery_id: null, endpoint_id: null },
  ]);
});

test('of several steps of one delivery the last is the one that remains when they are applied in order', () => {
  const steps = (...given: [number, DeliveryStatus][]) =>
    given.map(([step, status]) => outcomeFact(named, 'ep', step, status));
  const id = 'dlv_evt_ep_0';
  expect(lastSteps(steps([1, 'retrying'], [2, 'retrying'], [3, 'delivered']))).toEqual([[id, 3, 'delivered']]);
  expect(lastSteps(steps([2, 'parked'], [1, 'retrying']))).toEqual([[id, 2, 'parked']]);
  expect(lastSteps(steps([1, 'retrying'], [1, 'parked']))).toEqual([[id, 1, 'retrying']]);
  expect(lastSteps(steps([3, 'retrying'], [1, 'delivered'], [2, 'dead_lettered']))).toEqual([[id, 1, 'delivered']]);
  expect(lastSteps(steps([1, 'delivered'], [2, 'retrying']))).toEqual([[id, 1, 'delivered']]);
});

test('one outcome given twice, as one object, is last once', () => {
  const outcome = outcomeFact(named, 'ep', 1, 'delivered');
  expect(lastSteps([outcome, outcome])).toHaveLength(1);
});

test('of each delivery exactly one outcome is last', () => {
  const outcome = fc
    .tuple(
      fc.constantFrom('ep_a', 'ep_b', 'ep_c'),
      fc.integer({ min: 1, max: 4 }),
      fc.constantFrom('retrying', 'delivered'),
    )
    .map(([endpointId, step, status]) => outcomeFact(named, endpointId, step, status as DeliveryStatus));
  fc.assert(
    fc.property(fc.array(outcome), (facts) => {
      const { outcomes } = rowsOf(facts);
      expect(outcomes).toHaveLength(facts.length);
      const last = outcomes.filter((row) => row.last).map(({ delivery_id }) => delivery_id);
      expect(last.sort()).toEqual([...new Set(outcomes.map(({ delivery_id }) => delivery_id))].sort());
    }),
  );
});

test('what was not sent is no attempt', () => {
  const rows = rowsOf([outcomeFact(named, 'ep', 1, 'parked'), outcomeFact(named, 'ep', 2, 'retrying')]);
  expect(rows.outcomes).toHaveLength(2);
  expect(rows.attempts).toMatchObject([{ step: 2, outcome: 'http_5xx', http_status: 500, duration_ms: 12.5 }]);
});

test('a dead letter’s id is the same however often its record is read', () => {
  const [first, again, other] = [deadLetterFact('t', 'a'), deadLetterFact('t', 'a'), deadLetterFact('u', 'a')].map(
    (fact) => rowsOf([fact]).deadLetters[0],
  );
  expect(first?.id).toMatch(/^dl_[0-9a-z]{26}$/);
  expect(again?.id).toBe(first?.id);
  expect(other?.id).not.toBe(first?.id);
});

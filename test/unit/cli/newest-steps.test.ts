import fc from 'fast-check';
import { type Attempted, type AttemptRecord, type DeliveryStatus, isFinal } from '#lib/contract';
import { createNewestSteps } from '../../../services/cli/commands/rebuild-waiting.ts';
import { noSend } from '../../support/no-send.ts';

const at = 1_767_225_600_000_000;

const record = (step: number, status: DeliveryStatus, more: Partial<Attempted> = {}): Attempted => ({
  ...noSend,
  kind: 'attempted',
  tenant: 'acme',
  event_id: 'evt_1',
  generation: 0,
  at,
  delivery_id: 'dlv_1',
  endpoint_id: 'ep_1',
  step,
  attempt: step,
  status,
  created_at: at,
  outcome: 'timeout',
  http_status: null,
  duration_ms: null,
  detail: null,
  response_excerpt: null,
  next_attempt_at: status === 'retrying' ? at + step * 1_000_000 : null,
  ordering_key: null,
  request: null,
  response_headers: null,
  timing: null,
  ...more,
});

function stepsOf(...records: AttemptRecord[]) {
  const steps = createNewestSteps(() => 3);
  for (const each of records) steps.take(each);
  return steps;
}

test('the newest step of a delivery says how it waits, and until when', () => {
  expect(stepsOf(record(1, 'retrying'), record(2, 'retrying')).waiting()).toEqual([
    {
      tenant: 'acme',
      delivery_id: 'dlv_1',
      partition: 3,
      endpoint_id: 'ep_1',
      event_id: 'evt_1',
      generation: 0,
      state: 'retrying',
      due_at: '2026-01-01T00:00:02.000000Z',
      step: 2,
      attempts: 2,
      created_at: '2026-01-01T00:00:00.000000Z',
    },
  ]);
  const parked = stepsOf(record(1, 'retrying'), record(2, 'parked', { attempt: 1 })).waiting();
  expect(parked).toMatchObject([{ state: 'parked', attempts: 1, due_at: '2026-01-01T00:00:00.000000Z' }]);
});

test('one in an order with others is told apart, and a set is no step', () => {
  const steps = stepsOf(record(1, 'retrying', { ordering_key: 'customer-1' }), {
    kind: 'fanned_out',
    tenant: 'acme',
    event_id: 'evt_1',
    generation: 0,
    at,
    deliveries: [],
    chunk: null,
  });
  expect([steps.waiting(), steps.count()]).toEqual([[], 1]);
  expect(steps.ordered()).toEqual([{ tenant: 'acme', delivery_id: 'dlv_1', event_id: 'evt_1' }]);
});

test('what has ended waits no more, in whatever order its records come and come again', () => {
  const statuses = fc.constantFrom<DeliveryStatus>('retrying', 'parked', 'delivered', 'dead_lettered', 'cancelled');
  const records = fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), statuses), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(records, (given) => {
      const steps = stepsOf(...given.map(([step, status]) => record(step, status)));
      if (given.some(([, status]) => isFinal(status))) expect(steps.waiting()).toEqual([]);
      else expect(steps.waiting()).toMatchObject([{ step: Math.max(...given.map(([step]) => step)) }]);
    }),
  );
});

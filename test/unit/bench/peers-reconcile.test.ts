import { reconcile } from '../../bench/peers/reconcile.ts';

const at = (...values: number[]): Float64Array => Float64Array.from(values);

describe('reconciliation of a comparison', () => {
  const record = {
    published: 4,
    dueAt: at(10, 20, 30, 40),
    acknowledgedAt: at(15, 26, 0, 48),
    arrivedAt: [at(18, 25, 37, 0), at(19, 0, 0, 50)],
    repeats: 2,
  };

  it('counts as lost what was acknowledged and is missing at an endpoint, at each by itself', () => {
    expect(reconcile(record)).toMatchObject({ published: 4, acknowledged: 3, arrived: 5, lost: 2 });
  });

  it('tells what arrived though it was never acknowledged, and what came again, from what is lost', () => {
    expect(reconcile(record)).toMatchObject({ unacknowledged: 1, twice: 2 });
  });

  it('measures from when an event was due, and counts what overtakes its acknowledgment as 0', () => {
    const { toAcknowledgment, toArrival, fromDueToArrival } = reconcile(record);
    expect(toAcknowledgment).toEqual([5, 6, 8]);
    expect(toArrival).toEqual([3, 4, 0, 2]);
    expect(fromDueToArrival).toEqual([8, 9, 5, 10]);
  });

  it('expects nothing of an endpoint that hangs', () => {
    expect(reconcile(record, 1)).toMatchObject({ arrived: 2, lost: 1, unacknowledged: 0 });
  });
});

import { openLedger } from '../../faults/checker/ledger.ts';
import { latencyOf, recoveriesOf } from '../../faults/system/recovery.ts';
import { healthyHistory } from '../checker/healthy-history.ts';

/** Events are taken at 0 and 100 ms, and arrive 30 ms after that. */
const ledger = openLedger(healthyHistory());
const startMs = Date.UTC(2026, 0, 1);
const fault = (fromMs: number, overMs: number, kind = 'some') => ({
  ...{ kind, atMs: startMs + fromMs, overAtMs: startMs + overMs },
});

it('counts from the end of a fault until what was taken meanwhile has arrived', () => {
  const [result] = recoveriesOf(ledger, [fault(-10, 10), fault(-10, 110)], 'ep_a');

  expect(result).toEqual({ kind: 'some', times: 2, taken: 3, recoveryMs: { p50: 20, p99: 20, max: 20 } });
});

it('is nothing where all had arrived before the end, or nothing was taken', () => {
  const results = recoveriesOf(ledger, [fault(-10, 60, 'slow'), fault(40, 60, 'empty')], 'ep_a');

  expect(results.map(({ taken, recoveryMs }) => [taken, recoveryMs.max])).toEqual([
    [0, 0],
    [1, 0],
  ]);
});

it('never ends where something does not arrive', () => {
  const history = healthyHistory();
  history.arrivals = history.arrivals.filter(({ eventId }) => eventId !== 'evt_0');
  const [result] = recoveriesOf(openLedger(history), [fault(-10, 10)], 'ep_a');

  expect(result?.recoveryMs.max).toBe(Number.POSITIVE_INFINITY);
});

it('measures from acceptance to arrival, and until the fan-out', () => {
  expect(latencyOf(ledger, 'ep_a')).toEqual({
    arrival: { p50: 30, p99: 30, max: 30 },
    fanOut: { p50: 20, p99: 20, max: 20 },
  });
});

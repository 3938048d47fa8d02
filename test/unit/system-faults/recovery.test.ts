import { openLedger } from '../../faults/checker/ledger.ts';
import { latencyOf, recoveriesOf, timelineOf } from '../../faults/system/recovery.ts';
import { healthyHistory } from '../checker/healthy-history.ts';

/** Events are taken at 0 and 100 ms, and arrive 30 ms after that. */
const ledger = openLedger(healthyHistory());
const startMs = Date.UTC(2026, 0, 1);
const fault = (fromMs: number, overMs: number, kind = 'some') => ({
  kind,
  atMs: startMs + fromMs,
  overAtMs: startMs + overMs,
});

it('counts from the end of a fault until what was taken meanwhile has arrived', () => {
  const [result] = recoveriesOf(ledger, [fault(-10, 10), fault(-10, 110)], 'ep_a');

  expect(result).toEqual({
    kind: 'some',
    times: 2,
    taken: 3,
    recoveriesMs: [20, 20],
    recoveryMs: { p50: 20, p99: 20, max: 20 },
  });
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

describe('over time', () => {
  /** The second webhook is taken, and arrives, so much later than the first. */
  const later = (byMs: number, history = healthyHistory()) => {
    const ofSecond = { evt: history.topics.events[1], sends: history.sends.slice(2) };
    if (ofSecond.evt !== undefined) ofSecond.evt.receivedAtMs += byMs;
    for (const send of ofSecond.sends)
      [send.startedAtMs, send.endedAtMs] = [send.startedAtMs + byMs, send.endedAtMs + byMs];
    for (const arrival of history.arrivals) if (arrival.eventId === 'evt_1') arrival.atMs += byMs;
    return history;
  };

  it('counts what was taken and what arrived in each ten seconds, and how long that took', () => {
    expect(timelineOf(openLedger(later(20_000)), 'ep_a')).toEqual({
      stretchSeconds: 10,
      taken: [1, 0, 1],
      arrived: [1, 0, 1],
      p50Seconds: [0.03, null, 0.03],
      maxSeconds: [0.03, null, 0.03],
    });
  });

  it('never ends for what does not arrive', () => {
    const history = later(20_000);
    history.arrivals = history.arrivals.filter(({ eventId }) => eventId !== 'evt_0');
    const { arrived, maxSeconds } = timelineOf(openLedger(history), 'ep_a');

    expect(arrived).toEqual([0, 0, 1]);
    expect(maxSeconds).toEqual([Number.POSITIVE_INFINITY, null, 0.03]);
  });

  it.each([
    [3_990, 10, 400],
    [4_000, 20, 201],
    [40_000, 110, 364],
  ])('takes longer stretches for a run of %d s', (seconds, stretchSeconds, stretches) => {
    const { taken, ...timeline } = timelineOf(openLedger(later(seconds * 1_000)), 'ep_a');

    expect(timeline.stretchSeconds).toBe(stretchSeconds);
    expect(taken).toHaveLength(stretches);
    expect(taken.reduce((sum, each) => sum + each, 0)).toBe(2);
  });

  it('is empty where nothing was taken', () => {
    expect(timelineOf(openLedger(healthyHistory()), 'ep_other').taken).toEqual([]);
  });
});

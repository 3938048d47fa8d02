import { stagePlots, stageTimesOf } from '../../bench/whole/stage-times.ts';
import { specOf } from '../../support/plots/spec-of.ts';

const sent = (receiptId: string | null, tookMs: number) => ({
  ...({ webhook: 'w', outcome: 'ok', detail: '', answeredAtMs: 1_010 } as const),
  ...{ receiptId, tookMs },
});
const passed = new Map([
  ['rcp_1', { eventId: 'evt_1', receivedAtMs: 1_000, fannedOutAtMs: 1_030, updatedAtMs: 1_075 }],
  ['rcp_2', { eventId: 'evt_2', receivedAtMs: 1_000, fannedOutAtMs: 999.5, updatedAtMs: 1_005 }],
  ['rcp_3', { eventId: 'evt_3', receivedAtMs: 1_000, fannedOutAtMs: 1_030, updatedAtMs: 1_075 }],
]);
const arrived = new Map([
  ['evt_1', 1_040],
  ['evt_2', 1_010],
]);

describe('the times of the stages', () => {
  it('are from one to the next, and none is below 0', () => {
    expect(stageTimesOf([sent('rcp_1', 12), sent('rcp_2', 3)], passed, arrived)).toEqual([
      { acknowledged: 12, 'accepted once and fanned out': 30, sent: 10, 'to be polled': 35 },
      { acknowledged: 3, 'accepted once and fanned out': 0, sent: 10.5, 'to be polled': 0 },
    ]);
  });

  it('are not told of what was not answered, was repeated, or has not arrived', () => {
    expect(stageTimesOf([sent(null, 1), sent('rcp_9', 1), sent('rcp_3', 1)], passed, arrived)).toEqual([]);
  });

  it('can be drawn by rate, also where a stage took no time', () => {
    const times = new Map([
      [300, stageTimesOf([sent('rcp_2', 3)], passed, arrived)],
      [100, stageTimesOf([sent('rcp_1', 12)], passed, arrived)],
    ]);
    const [half] = stagePlots(times);
    expect(half?.plot.series.map(({ points }) => points)).toEqual([
      [
        [100, 12],
        [300, 3],
      ],
      [
        [100, 30],
        [300, 0.1],
      ],
      [
        [100, 10],
        [300, 10.5],
      ],
      [
        [100, 35],
        [300, 0.1],
      ],
    ]);
    for (const { plot } of stagePlots(times)) expect(() => specOf(plot)).not.toThrow();
  });
});

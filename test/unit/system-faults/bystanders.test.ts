import { judgeBystanders } from '../../faults/system/bystanders.ts';

const kind = 'clock-held';
const inflicted = [{ kind, atMs: 100_000, overAtMs: 108_000 }];

describe('webhooks beside a tenant that is locked', () => {
  it('are readable within three seconds, or it is a violation', () => {
    const webhooks = [200, 2_999, 7_000, Number.POSITIVE_INFINITY].map((readableMs, index) => ({
      kind,
      atMs: 101_000 + index,
      readableMs,
    }));
    expect(judgeBystanders(webhooks, inflicted)).toEqual([
      expect.stringContaining('beside clock-held an event of another tenant was readable after 7000 ms'),
      expect.stringContaining('Infinity ms'),
    ]);
  });

  it('say nothing where another fault was under way, or its effects were', () => {
    const late = { kind, atMs: 101_000, readableMs: 7_000 };
    const countWith = (atMs: number, overAtMs: number): number =>
      judgeBystanders([late], [...inflicted, { kind: 'projector-killed', atMs, overAtMs }]).length;
    expect([
      countWith(102_000, 103_000),
      countWith(80_000, 90_000),
      countWith(70_000, 80_000),
      countWith(109_000, 110_000),
    ]).toEqual([...[0, 0, 1, 1]]);
  });
});

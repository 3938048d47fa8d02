import { createLaneWidth } from '../../../services/dispatcher/endpoints/lane-width.ts';

describe('the width of a lane', () => {
  it('is one after a send that did not reach the endpoint, and grows by one for each round that went well', () => {
    const width = createLaneWidth();
    expect(width.shrunkTo()).toBeUndefined();
    width.observe({ kind: 'unreachable' }, 4);
    const widths = Array.from({ length: 6 }, () => {
      const before = width.shrunkTo();
      width.observe({ kind: 'well' }, 4);
      return before;
    });
    expect(widths).toEqual([1, 2, 2, 3, 3, 3]);
    expect(width.shrunkTo()).toBeUndefined();
  });

  it('is not changed by what was answered with a failure or a wish to wait, and is one again after the next that hangs', () => {
    const width = createLaneWidth();
    width.observe({ kind: 'failed' }, 4);
    expect(width.shrunkTo()).toBeUndefined();
    width.observe({ kind: 'unreachable' }, 4);
    width.observe({ kind: 'well' }, 4);
    width.observe({ kind: 'failed' }, 4);
    width.observe({ kind: 'wait', waitMs: 1 }, 4);
    expect(width.shrunkTo()).toBe(2);
    width.observe({ kind: 'unreachable' }, 4);
    expect(width.shrunkTo()).toBe(1);
  });

  it('of an endpoint that takes one at a time is told from a shrunk one by the first that goes well', () => {
    const width = createLaneWidth();
    width.observe({ kind: 'unreachable' }, 1);
    expect(width.shrunkTo()).toBe(1);
    width.observe({ kind: 'well' }, 1);
    expect(width.shrunkTo()).toBeUndefined();
  });
});

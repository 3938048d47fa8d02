import { retryAfterMs } from '#lib/runtime';

const nowMs = Date.UTC(2026, 0, 1, 12);

describe('a Retry-After header', () => {
  it.each([
    ['120', 120_000],
    ['0', 0],
    ['007', 7_000],
    ['999999999999', 999_999_999_999_000],
    ['300 ', 300_000],
    ['\t300\t ', 300_000],
    [' Thu, 01 Jan 2026 12:00:30 GMT ', 30_000],
    ['299.997', 300_000],
    ['300.0', 300_000],
    ['120.1', 121_000],
    ['0.0', 0],
    ['Thu, 01 Jan 2026 12:00:30 GMT', 30_000],
    ['Thursday, 01-Jan-26 12:00:30 GMT', 30_000],
    ['Thu Jan  1 12:00:30 2026', 30_000],
    ['Wed, 21 Oct 2015 07:28:00 GMT', 0],
    ['Fri, 31 Dec 1999 23:59:59 GMT', 0],
  ])('%j asks to wait %i ms', (header, waitMs) => {
    expect(retryAfterMs(header, nowMs)).toBe(waitMs);
  });

  it.each([
    '-1',
    '-0.5',
    '.5',
    '5.',
    '1.2.3',
    '3 00',
    '+5',
    '1e3',
    '',
    ' ',
    'soon',
    '2026-01-01T12:00:30Z',
    'Thu, 99 Jan 2026 12:00:30 GMT',
  ])('says nothing as %j', (header) => {
    expect(retryAfterMs(header, nowMs)).toBeUndefined();
  });

  it('says nothing where there is none', () => {
    expect(retryAfterMs(undefined, nowMs)).toBeUndefined();
  });
});

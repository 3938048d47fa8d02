import type { HttpResult } from '#lib/http-client';
import { verdictOf } from '../../../services/dispatcher/endpoints/send-verdict.ts';
import { aFailure, anAnswer } from './fixtures.ts';

const answered = (status: number, retryAfter?: string): HttpResult => anAnswer(status, { retryAfter });

describe('what a send says about its endpoint', () => {
  it.each([
    ['200', answered(200), { kind: 'well' }],
    ['a redirect', answered(302), { kind: 'well' }],
    ['404', answered(404), { kind: 'well' }],
    ['404 with Retry-After, which means nothing there', answered(404, '30'), { kind: 'well' }],
    ['429', answered(429), { kind: 'wait', waitMs: 1_000 }],
    ['429 with Retry-After', answered(429, '7'), { kind: 'wait', waitMs: 7_000 }],
    ['503 with Retry-After', answered(503, '7'), { kind: 'wait', waitMs: 7_000 }],
    ['a Retry-After of an hour', answered(429, '3600'), { kind: 'wait', waitMs: 60_000 }],
    ['503', answered(503), { kind: 'failed' }],
    ['503 with nonsense in Retry-After', answered(503, 'soon'), { kind: 'failed' }],
    ['500 with Retry-After', answered(500, '7'), { kind: 'failed' }],
    ['an address that may not be connected to', aFailure('blocked'), { kind: 'failed' }],
    ['a time-out', aFailure('timeout'), { kind: 'unreachable' }],
    ['a refused connection', aFailure('connect'), { kind: 'unreachable' }],
    ['a failed handshake', aFailure('tls'), { kind: 'unreachable' }],
  ])('%s', (_title, result, verdict) => {
    expect(verdictOf(result, 0, 3_600_000)).toEqual(verdict);
  });

  it('waits no longer than the endpoint’s own retries would', () => {
    expect(verdictOf(answered(429, '7'), 0, 500)).toEqual({ kind: 'wait', waitMs: 500 });
    expect(verdictOf(answered(429), 0, 500)).toEqual({ kind: 'wait', waitMs: 500 });
  });
});

import { answerGroups, type RecentAttempt } from '../../../services/api/endpoints/health-queries.ts';

/** Minutes ago. */
const attempt = (minutes: number, more: Partial<RecentAttempt> = {}): RecentAttempt => ({
  at: `2026-01-01T00:${String(59 - minutes)}:00.000000Z`,
  delivery_id: `dlv_${minutes}`,
  outcome: 'http_5xx',
  http_status: 500,
  detail: 'answered 500',
  duration_ms: 3,
  excerpt: Buffer.from(`body ${minutes}`),
  ...more,
});

test('failed attempts are grouped by outcome and status: the first, the last, and what the last one said', () => {
  const timeout = { outcome: 'timeout', http_status: null, detail: 'no answer', excerpt: null } as const;
  const groups = answerGroups([
    attempt(1),
    attempt(2, { outcome: 'delivered', http_status: 200 }),
    attempt(3, timeout),
    attempt(4),
    attempt(5, { http_status: 503, excerpt: Buffer.from([0xff, 0xfe]) }),
    attempt(6),
  ]);
  expect(groups).toEqual([
    {
      outcome: 'http_5xx',
      http_status: 500,
      attempts: 3,
      detail: 'answered 500',
      response_excerpt: 'body 1',
      first_at: attempt(6).at,
      last_at: attempt(1).at,
      delivery_id: 'dlv_1',
    },
    expect.objectContaining({ outcome: 'timeout', attempts: 1, response_excerpt: null }),
    // A body that is no text.
    expect.objectContaining({ http_status: 503, attempts: 1, response_excerpt: null }),
  ]);
});

test('nothing was sent, or nothing failed: no group', () => {
  expect(answerGroups([])).toEqual([]);
  expect(answerGroups([attempt(1, { outcome: 'delivered' }), attempt(2, { outcome: null })])).toEqual([]);
});

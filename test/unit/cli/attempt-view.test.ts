import { attemptRow, describeOutcome } from '../../../services/cli/output/views.ts';

const attempt = {
  attempt: 3,
  at: '2026-01-01T00:00:00.000000Z',
  outcome: 'http_5xx' as const,
  http_status: 503,
  duration_ms: 23,
  detail: null,
  timing: null,
};

test('an attempt is told with its phases, as far as it came', () => {
  const timing = { dns_ms: 1.04, connect_ms: 2, tls_ms: null, first_byte_ms: 12, body_ms: null };
  expect(describeOutcome({ ...attempt, timing })).toBe('http_5xx: 503 after 23 ms (dns 1, connect 2, first byte 12)');
  expect(describeOutcome({ ...attempt, timing: null })).toBe('http_5xx: 503 after 23 ms');
});

test('an answer with an odd head says what was odd', () => {
  const detail = 'answered 503 with an odd head: lines end in a line feed alone';
  expect(describeOutcome({ ...attempt, detail })).toBe(`http_5xx: ${detail} after 23 ms`);
  expect(describeOutcome({ ...attempt, detail: 'answered 503' })).toBe('http_5xx: 503 after 23 ms');
});

test('what was not answered says why, and moves no cursor', () => {
  const blocked = {
    ...attempt,
    outcome: 'blocked' as const,
    http_status: null,
    duration_ms: null,
    detail: 'a \u001b[2J name',
  };
  expect(describeOutcome(blocked)).toBe('blocked: a ?[2J name');
});

test('a row of the table has what is asked first', () => {
  expect(attemptRow(attempt)).toEqual({
    attempt: 3,
    at: attempt.at,
    outcome: 'http_5xx' as const,
    status: 503,
    duration: '23 ms',
    detail: null,
  });
});

import type { Send } from '../../faults/checker/history.ts';
import { answersOf, wrongAnswers } from '../../faults/incidents/answers.ts';
import type { Span } from '../../faults/incidents/judge-alerts.ts';

const send = (startedAtMs: number, tookMs: number, status: number | null): Send => ({
  number: 0,
  sourceId: 'src_a',
  identity: 'a',
  traceId: '',
  bodySha256: '',
  receiptId: null,
  detail: 'why',
  outcome: 'ok',
  startedAtMs,
  endedAtMs: startedAtMs + tookMs,
  status,
});
const span: Span = {
  incident: { name: 'burst', fires: {}, may: [] },
  beganAtMs: 1_000,
  overAtMs: 2_000,
  calmAtMs: 3_000,
};

describe('what senders heard', () => {
  it('is told for the time of each incident, and for that before the first', () => {
    const sends = [send(500, 3, 202), send(1_000, 7, 202), send(1_500, 9, 202), send(1_600, 2_000, 503)];
    const [calm, burst] = answersOf([span], { sends: [...sends, send(2_500, 1, 202)], calls: [] });
    expect(calm).toMatchObject({ incident: 'calm', webhooks: { requests: 1, taken: 1, p99Ms: 3 } });
    expect(burst).toMatchObject({
      incident: 'burst',
      webhooks: { requests: 3, taken: 2, unavailable: 1, others: 0, p50Ms: 7, p99Ms: 9, maxMs: 9 },
      api: { requests: 0, p99Ms: 0 },
    });
  });

  it('is wrong where it is nothing, or a 5xx that does not say to come again', () => {
    const calls = [{ startedAtMs: 0, endedAtMs: 1, status: 500, detail: '' }];
    expect(wrongAnswers({ sends: [send(0, 1, 202), send(0, 1, 503), send(0, 1, 401)], calls: [] })).toEqual([]);
    expect(wrongAnswers({ sends: [send(0, 1, null)], calls })).toEqual([
      '1 webhooks had no answer, or a 5xx other than 503: none why at 1970-01-01T00:00:00.000Z',
      '1 requests to the api had no answer, or a 5xx other than 503: 500  at 1970-01-01T00:00:00.000Z',
    ]);
  });
});

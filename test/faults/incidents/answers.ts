/** The outside view of the incidents. */
import { alignFigures } from '../../support/align-figures.ts';
import { percentile } from '../../support/percentiles.ts';
import type { Send } from '../checker/history.ts';
import type { Span } from './judge-alerts.ts';
import type { ApiCall, SteadyLoad } from './load.ts';

export interface AnswersOfSpan {
  incident: string;
  webhooks: Answers;
  api: Answers;
}

export interface Answers {
  requests: number;
  /** 2xx. */
  taken: number;
  /** 503: to be sent again. */
  unavailable: number;
  /** Any other, or none. */
  others: number;
  /** Percentiles of the accepted ones. */
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

/** A stretch of time that answers are told of by themselves. */
export type AnsweredSpan = Pick<Span, 'beganAtMs' | 'overAtMs'> & { incident: Pick<Span['incident'], 'name'> };

type Answered = Pick<Send, 'startedAtMs' | 'endedAtMs' | 'status' | 'detail'>;

/** The answers of each incident until it was over; `calm` is the time before the first. */
export function answersOf(
  spans: readonly AnsweredSpan[],
  { sends, calls }: Pick<SteadyLoad, 'sends' | 'calls'>,
): AnswersOfSpan[] {
  const firstAtMs = spans.reduce((first, { beganAtMs }) => Math.min(first, beganAtMs), Number.POSITIVE_INFINITY);
  const stretches = [
    { name: 'calm', fromMs: 0, untilMs: firstAtMs },
    ...spans.map(({ incident: { name }, beganAtMs, overAtMs }) => ({ name, fromMs: beganAtMs, untilMs: overAtMs })),
  ];
  return stretches.map(({ name, fromMs, untilMs }) => {
    const isIn = ({ startedAtMs }: Answered): boolean => startedAtMs >= fromMs && startedAtMs < untilMs;
    return { incident: name, webhooks: tally(sends.filter(isIn)), api: tally(calls.filter(isIn)) };
  });
}

/** As a table for people. */
export const formatAnswers = (
  what: string,
  answers: readonly AnswersOfSpan[],
  answersIn: (each: AnswersOfSpan) => Answers,
): string =>
  alignFigures([
    [what, 'requests', '2xx', '503', 'others', 'p50 ms', 'p99 ms', 'max ms'],
    ...answers.map((each) => {
      const { requests, taken, unavailable, others, p50Ms, p99Ms, maxMs } = answersIn(each);
      return [each.incident, ...[requests, taken, unavailable, others, p50Ms, p99Ms, maxMs].map(String)];
    }),
  ]);

function tally(answered: readonly Answered[]): Answers {
  const taken = answered.filter(isTaken);
  const unavailable = answered.filter(({ status }) => status === 503).length;
  const tookMs = taken.map(({ startedAtMs, endedAtMs }) => endedAtMs - startedAtMs);
  const slowest = (share: number): number => (taken.length === 0 ? 0 : percentile(tookMs, share));
  return {
    requests: answered.length,
    taken: taken.length,
    unavailable,
    others: answered.length - taken.length - unavailable,
    p50Ms: slowest(0.5),
    p99Ms: slowest(0.99),
    maxMs: slowest(1),
  };
}

const isTaken = ({ status }: Answered): boolean => status !== null && status >= 200 && status < 300;

const shown = 5;

/** No client may get a 5xx except one that says to retry, and every client must get an answer. */
export function wrongAnswers({ sends, calls }: Pick<SteadyLoad, 'sends' | 'calls'>): string[] {
  const wrongOf = (what: string, answered: readonly (Send | ApiCall)[]): string[] => {
    const wrong = answered.filter(({ status }) => status === null || (status >= 500 && status !== 503));
    if (wrong.length === 0) return [];
    const told = wrong
      .slice(0, shown)
      .map(
        ({ status, detail, startedAtMs }) => `${status ?? 'none'} ${detail} at ${new Date(startedAtMs).toISOString()}`,
      );
    return [`${wrong.length} ${what} had no answer, or a 5xx other than 503: ${told.join('; ')}`];
  };
  return [...wrongOf('webhooks', sends), ...wrongOf('requests to the api', calls)];
}

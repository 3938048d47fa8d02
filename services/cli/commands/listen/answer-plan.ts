import type { Random } from '#lib/backoff';
import { usageFailure } from '../../command-failure.ts';
import { readDuration } from '../../options/read-duration.ts';

/** The answer to a request: a status, none at all, or a reset of the connection. */
export type Answer = number | 'timeout' | 'reset';

export interface AnswerPlan {
  /** Undefined: 200, or the ingress's refusal if the signature is not verified. */
  status: number | undefined;
  /** Shares of all requests; the rest, up to 1, gets the status above. */
  failures: readonly { answer: Answer; share: number }[];
  delayMs: { min: number; max: number };
}

export function readAnswerPlan(given: {
  status?: string | undefined;
  fail?: readonly string[] | undefined;
  delay?: string | undefined;
}): AnswerPlan {
  const { status, fail = [], delay = '0ms' } = given;
  const failures = fail.map(readFailure);
  const whole = failures.reduce((sum, { share }) => sum + share, 0);
  // Tenths do not add up to 1 exactly.
  if (whole > 1 + 1e-9) throw usageFailure(`--fail: the shares add up to ${whole}, more than 1`);
  return {
    status: status === undefined ? undefined : readStatus('status', status),
    failures,
    delayMs: readDelay(delay),
  };
}

/** @param verdictStatus the status that the signature's verdict asks for */
export function chooseAnswer({ status, failures }: AnswerPlan, verdictStatus: number, random: Random): Answer {
  let left = random();
  for (const { answer, share } of failures) {
    if (left < share) return answer;
    left -= share;
  }
  return status ?? verdictStatus;
}

export const chooseDelayMs = ({ delayMs: { min, max } }: AnswerPlan, random: Random): number =>
  min + (max - min) * random();

function readFailure(text: string): AnswerPlan['failures'][number] {
  const [, what = '', shareText = ''] = /^(timeout|reset|\d+)@(\d(?:\.\d{1,9})?|\.\d{1,9})$/.exec(text) ?? [];
  const share = Number(shareText);
  if (!(share > 0 && share <= 1))
    throw usageFailure(`--fail must be STATUS@SHARE such as 500@0.3, timeout@0.1 or reset@0.1, not ${text}`);
  return { answer: what === 'timeout' || what === 'reset' ? what : readStatus('fail', what), share };
}

/** Not 1xx, which are no answers yet. */
function readStatus(option: string, text: string): number {
  if (/^[2-5]\d\d$/.test(text)) return Number(text);
  throw usageFailure(`--${option} must be a status from 200 to 599, not ${text}`);
}

function readDelay(text: string): AnswerPlan['delayMs'] {
  const [from = '', to = from, ...more] = text.split('..');
  const [min, max] = [readDuration('delay', from), readDuration('delay', to)];
  if (more.length === 0 && min <= max) return { min, max };
  throw usageFailure(`--delay must be a time such as 200ms or a range such as 1s..3s, not ${text}`);
}

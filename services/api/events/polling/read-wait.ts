import type { FieldErrors } from '../../http/send-problem.ts';

/** How long a request may be held until there is something to answer. */
export interface Wait {
  seconds: number;
  /** By `Prefer` (RFC 7240), which is told what became of it. */
  preferred: boolean;
}

const maxSeconds = 60;

/**
 * `wait` or, without it, `Prefer: wait=N`; undefined without both. A preference is followed as far as possible: a longer wait is cut, and a
 * malformed one is ignored.
 */
export function readWait(
  parameter: string | undefined,
  prefer: string | string[] | undefined,
): { wait: Wait | undefined } | { errors: FieldErrors } {
  if (parameter !== undefined) {
    const seconds = /^\d{1,2}$/.test(parameter) ? Number(parameter) : Infinity;
    if (seconds > maxSeconds)
      return { errors: [{ field: 'wait', message: `must be a whole number of seconds, from 0 to ${maxSeconds}` }] };
    return { wait: { seconds, preferred: false } };
  }
  // The first of repeated preferences counts.
  const [, seconds] = /(?:^|,)\s*wait\s*=\s*"?(\d{1,9})"?\s*(?=[,;]|$)/i.exec([prefer ?? ''].flat().join(',')) ?? [];
  if (seconds === undefined) return { wait: undefined };
  return { wait: { seconds: Math.min(Number(seconds), maxSeconds), preferred: true } };
}

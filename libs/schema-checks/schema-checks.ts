/**
 * Checks payloads against schemas of tenants in a thread that is ended if it takes too long. One check runs at a time; the others wait, up to a limit.
 * Each tenant has a share of the thread's time. Times of checks are of a processor, not of the clock: processor-limit.ts.
 *
 * Never throws: what can't be validated (too slow, too many waiting, the tenant's share used up, the thread failed) is `unjudged`, with the reason.
 */
import { type Clock, createPart, type Logger, type Part } from '#lib/runtime';
import { createEndedThread, type Unanswered } from './ended-thread.ts';
import type { CheckAnswer, CheckRequest } from './messages.ts';
import { createThreadShares } from './thread-shares.ts';

export type Verdict =
  | { kind: 'match' }
  /** `field`: a JSON pointer in the payload. */
  | { kind: 'mismatch'; field: string; message: string }
  | { kind: 'invalid_schema'; message: string }
  | Unjudged;

interface Unjudged {
  kind: 'unjudged';
  /**
   * `too_slow`: by the schema and the payload themselves, which take too much time, memory or stack. `busy`: too many wait, the tenant's share is used
   * up, or the machine leaves the thread no time.
   */
  reason: 'too_slow' | 'busy' | 'failed';
}

interface Checked {
  /** Whose share of the thread's time it takes; undefined: nobody's, because somebody waits for the verdict and asks for no more meanwhile. */
  tenant?: string;
  /** Names the schema for ever: the same key is never used for another. */
  key: string;
  /** Its JSON text, asked for where the thread does not have it. @returns undefined: there is none any more */
  schema(): string | undefined | Promise<string | undefined>;
  /** Text; one that is no JSON is a mismatch. */
  payload: string;
}

export interface SchemaChecks {
  check(checked: Checked): Promise<Verdict>;
}

interface Options {
  clock: Clock;
  log: Logger;
  limits?: CheckLimits;
}

/** Times of a processor. */
export interface CheckLimits {
  checkMs: number;
  compileMs: number;
  /** The part of the thread's time for each tenant, 0 to 1. */
  tenantShare: number;
}

export const usualCheckLimits: CheckLimits = { checkMs: 50, compileMs: 2_000, tenantShare: 0.5 };
const maxWaiting = 200;
/** A schema that was too slow is left alone for so long: it would cost others a thread each time. */
const slowMs = 60_000;
const maxSlow = 1_000;
const maxMegabytes = 128;
const idleMs = 60_000;

export function createSchemaChecks({ clock, log, limits = usualCheckLimits }: Options): SchemaChecks & Part {
  const thread = createEndedThread<CheckRequest, CheckAnswer>({
    file: new URL('./check-worker.ts', import.meta.url),
    maxMegabytes,
    name: 'checks',
    log,
  });
  let last: Promise<unknown> = Promise.resolve();
  let [waiting, isStopped] = [0, false];
  let idle: NodeJS.Timeout | undefined;
  /** Until when a key is not tried, by clock.monotonicMs. */
  const slow = new Map<string, number>();
  const shares = createThreadShares({ share: limits.tenantShare, burstMs: limits.compileMs });
  /** The running check's processor time so far. */
  let spentMs = 0;

  async function ask(request: CheckRequest, limitMs: number): Promise<CheckAnswer | Unanswered> {
    const { answer, spentMs: tookMs } = await thread.ask(request, { limitMs });
    spentMs += tookMs;
    return answer;
  }

  async function run({ key, schema, payload }: Checked): Promise<Verdict> {
    let answer = await ask({ kind: 'check', key, payload }, limits.checkMs);
    if (typeof answer === 'object' && answer.kind === 'unknown') {
      const text = await schema();
      if (text === undefined) return { kind: 'unjudged', reason: 'failed' };
      answer = await ask({ kind: 'compile', key, schema: text }, limits.compileMs);
      if (typeof answer === 'object' && answer.kind === 'compiled')
        answer = await ask({ kind: 'check', key, payload }, limits.checkMs);
    }
    // Too much memory is a cost like too much time: it ends the thread, and would do so again.
    if (answer === 'too_slow' || answer === 'out_of_memory') noteSlow(key);
    if (typeof answer === 'string') return { kind: 'unjudged', reason: reasonOf(answer) };
    if (answer.kind === 'match') return { kind: 'match' };
    if (answer.kind === 'mismatch') return { kind: 'mismatch', field: answer.field, message: answer.message };
    if (answer.kind === 'endless') return { kind: 'unjudged', reason: 'too_slow' };
    if (answer.kind === 'invalid_schema') return { kind: 'invalid_schema', message: answer.message };
    return { kind: 'unjudged', reason: 'failed' };
  }

  function noteSlow(key: string): void {
    log.warn({ event: 'schema_check.too_slow', schema: key });
    slow.delete(key);
    slow.set(key, clock.monotonicMs() + slowMs);
    const [oldest] = slow.keys();
    if (slow.size > maxSlow && oldest !== undefined) slow.delete(oldest);
  }

  /** Why it is not tried now. */
  function refusal({ tenant, key }: Checked): Unjudged['reason'] | undefined {
    const nowMs = clock.monotonicMs();
    if (isStopped) return 'busy';
    if ((slow.get(key) ?? 0) > nowMs) return 'too_slow';
    return tenant !== undefined && !shares.hasSome(tenant, nowMs) ? 'busy' : undefined;
  }

  const part = createPart(
    'schema checks',
    async () => undefined,
    async () => {
      isStopped = true;
      clearTimeout(idle);
      await thread.end();
    },
  );

  return {
    ...part,
    async check(checked) {
      const reason = waiting >= maxWaiting ? 'busy' : refusal(checked);
      if (reason !== undefined) return { kind: 'unjudged', reason };
      clearTimeout(idle);
      waiting += 1;
      const turn = last.then(async (): Promise<Verdict> => {
        // It may have become slow while this one waited, or its tenant's share used up.
        const late = refusal(checked);
        if (late !== undefined) return { kind: 'unjudged', reason: late };
        spentMs = 0;
        try {
          return await run(checked);
        } finally {
          if (checked.tenant !== undefined) shares.spend(checked.tenant, spentMs, clock.monotonicMs());
        }
      });
      last = turn.catch(() => undefined);
      try {
        return await turn;
      } catch (err) {
        log.warn({ event: 'schema_check.failed', err });
        return { kind: 'unjudged', reason: 'failed' };
      } finally {
        waiting -= 1;
        if (waiting === 0 && !isStopped) idle = setTimeout(() => void thread.end(), idleMs).unref();
      }
    },
  };
}

const reasonOf = (answer: Unanswered): Unjudged['reason'] => {
  if (answer === 'too_slow' || answer === 'out_of_memory') return 'too_slow';
  return answer === 'busy' ? 'busy' : 'failed';
};

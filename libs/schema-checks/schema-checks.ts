/**
 * Checks payloads against schemas of tenants in a thread that is ended if it takes too long. One check runs at a time; the others wait, up to a limit.
 * Each tenant has a share of the thread's time. Times of checks are of a processor, not of the clock: processor-limit.ts.
 *
 * Never throws: what can't be judged (too slow, too many waiting, the tenant's share used up, the thread failed) is `unjudged`, with the reason.
 */
import { Worker } from 'node:worker_threads';
import type { Clock } from '#lib/clock';
import { createPart, type Part } from '#lib/lifecycle';
import type { Logger } from '#lib/log';
import type { CheckAnswer, CheckRequest, Ready } from './messages.ts';
import { type Exceeded, limitProcessorTime } from './processor-limit.ts';
import { createThreadShares } from './thread-shares.ts';

export type Verdict =
  | { kind: 'match' }
  /** `field`: a JSON pointer in the payload. */
  | { kind: 'mismatch'; field: string; message: string }
  | { kind: 'invalid_schema'; message: string }
  | Unjudged;

interface Unjudged {
  kind: 'unjudged';
  /** `busy`: too many wait, the tenant's share is used up, or the machine leaves the thread no time. */
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

interface Started {
  thread: Worker;
  ready: Promise<boolean>;
  /** The thread's processor time in all, in ms, when it last said so. */
  processorMs: number;
}

const checkLimits: CheckLimits = { checkMs: 50, compileMs: 2_000, tenantShare: 0.5 };
/** Loading the validator, on a busy machine. */
const startMs = 10_000;
const maxWaiting = 200;
/** A tenant is charged this, beside the limit, for a thread that its schema has ended. */
const restartMs = 500;
/** A schema that was too slow is left alone for so long: it would cost others a thread each time. */
const slowMs = 60_000;
const maxSlow = 1_000;
const maxOldGenerationSizeMb = 128;
const idleMs = 60_000;

export function createSchemaChecks({ clock, log, limits = checkLimits }: Options): SchemaChecks & Part {
  let worker: Started | undefined;
  let settle: ((answer: CheckAnswer | 'failed') => void) | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let [waiting, lastId, isStopped] = [0, 0, false];
  let idle: NodeJS.Timeout | undefined;
  /** Until when a key is not tried, by clock.monotonicMs. */
  const slow = new Map<string, number>();
  const shares = createThreadShares({ share: limits.tenantShare, burstMs: limits.compileMs });
  /** The running check's processor time so far. */
  let spentMs = 0;

  function start(): Started {
    const thread = new Worker(new URL('./check-worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb },
      env: {},
    });
    const { promise: ready, resolve } = Promise.withResolvers<boolean>();
    const tooLate = setTimeout(() => resolve(false), startMs).unref();
    const started: Started = { thread, ready, processorMs: 0 };
    thread.on('message', (message: CheckAnswer | Ready) => {
      started.processorMs = message.processorMs;
      if (message.kind === 'ready') resolve(true);
      else settle?.(message);
    });
    thread.on('error', (err) => {
      log.warn({ event: 'schema_check.thread_failed', err });
      resolve(false);
      settle?.('failed');
    });
    thread.on('exit', () => {
      clearTimeout(tooLate);
      resolve(false);
      settle?.('failed');
      if (worker?.thread === thread) worker = undefined;
    });
    thread.unref();
    return started;
  }

  function end(): void {
    const ending = worker;
    worker = undefined;
    void ending?.thread.terminate();
  }

  /** One message to the thread and its answer. The thread is ended if it takes more than `limitMs` of a processor. */
  async function ask(
    request: CheckRequest extends infer Each ? (Each extends CheckRequest ? Omit<Each, 'id'> : never) : never,
    limitMs: number,
  ): Promise<CheckAnswer | 'failed' | Exceeded> {
    const started = (worker ??= start());
    const { thread, ready } = started;
    if (!(await ready)) {
      end();
      return 'failed';
    }
    const id = (lastId += 1);
    const { promise, resolve } = Promise.withResolvers<CheckAnswer | 'failed' | Exceeded>();
    settle = (answer) => {
      if (answer === 'failed' || answer.id === id) resolve(answer);
    };
    const sinceMs = started.processorMs;
    const stopWatching = limitProcessorTime({
      thread,
      sinceMs,
      limitMs,
      // An answer that is there already counts, if this process had no time to read it.
      onExceeded: (exceeded) => setImmediate(() => setImmediate(() => resolve(exceeded))),
    });
    thread.postMessage({ ...request, id });
    const answer = await promise;
    stopWatching();
    spentMs += typeof answer === 'string' ? limitMs + restartMs : answer.processorMs - sinceMs;
    settle = undefined;
    if (typeof answer === 'string') end();
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
    if (answer === 'too_slow') noteSlow(key);
    if (typeof answer === 'string') return { kind: 'unjudged', reason: answer };
    if (answer.kind === 'match') return { kind: 'match' };
    if (answer.kind === 'mismatch') return { kind: 'mismatch', field: answer.field, message: answer.message };
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
      await worker?.thread.terminate();
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
        if (waiting === 0 && !isStopped) idle = setTimeout(end, idleMs).unref();
      }
    },
  };
}

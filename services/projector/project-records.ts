/**
 * From records to rows, those of a partition in order, and then their offsets:
 *
 *   read ── can't be read ──────────────────────────────► dead letter `malformed_record` ─► done
 *     └─► written in one transaction, with those of other calls ───────────────────────► done
 *           ├─ the tenant's clock or rows are locked by others: set aside, and written by itself; the call ends without it
 *           ├─ Postgres is away: the same again, for as long as it takes; no record is to blame
 *           ├─ it takes too long: each half by itself, down to one record, which is tried for as long as it takes
 *           └─ the data is refused: each half by itself, and so on until the culprit stands alone
 *                                          └────────────► dead letter `data_invalid` ─────► done
 *
 * Records that are set aside are not done: no offset is committed beyond it. The tenant's later records queue up behind it, so they stay in order.
 *
 * A dead letter about a dead letter would go round for ever: what is refused from `dead-letters` is logged and counted, and stays where it is.
 */
import { type DeadLetterReason, header, isForAnother } from '#lib/contract';
import { bisect, type BuryRecord } from '#lib/dead-letters';
import type { IncomingRecord, RecordHandler } from '#lib/kafka';
import { isLocked, isTimedOut } from '#lib/postgres';
import {
  AppError,
  type Clock,
  type CrashPoints,
  isAppError,
  type Logger,
  type Random,
  toAppError,
  type WaitOut,
} from '#lib/runtime';
import { observe, type Tracer, traceIdOf } from '#lib/telemetry';
import { createSetAside, type SetAsideLimits } from '#lib/tenancy';
import { type Fact, idsOf, rowsOf, tenantOf } from './facts.ts';
import type { Write } from './group-commit.ts';
import { lookUpHeaders } from './look-up-headers.ts';
import type { ProjectorMetrics } from './metrics.ts';
import type { RecordReader } from './read-record.ts';
import { startBatchSpan } from './trace-batch.ts';

interface FailedRecord {
  record: IncomingRecord;
  /** Its content, if it could be read. */
  fact: Fact | null;
  reason: DeadLetterReason;
  /** Times it was tried. */
  attempts: number;
}

interface Deps {
  read: RecordReader;
  write: Write<Fact>;
  /** Writes what belongs to one tenant, by itself. It waits for the tenant's locks as long as the pool allows. */
  writeAlone(facts: readonly Fact[]): Promise<void>;
  setAsideLimits?: SetAsideLimits;
  buryRecord: BuryRecord;
  deadLettersTopic: string;
  waitOut: WaitOut;
  tracer: Tracer;
  /** For traces. */
  groupId: string;
  clock: Clock;
  log: Logger;
  metrics: ProjectorMetrics;
  crashPoints: CrashPoints;
  random: Random;
  /** Records that were set aside can't be written, by a bug: the process must end. */
  onFailure(error: Error): void;
}

interface ReadRecord {
  record: IncomingRecord;
  fact: Fact;
  isSetAside: boolean;
}

/** Tenants whose records were left, or why all of it is to be written in smaller parts. */
type Tried = { left: ReadonlySet<string>; slow?: undefined } | { slow: AppError };

/** Runs what needs a dependency until that is there. */
type Patiently = <T>(work: () => Promise<T>) => Promise<T>;

/** Half of it for one tenant. The partitions have bounds of their own: see `maxOutstanding` of libs/kafka. */
const setAsideLimits: SetAsideLimits = { maxItems: 20_000, maxBytes: 32 * 1024 * 1024, maxAtOnce: 500 };

export function createRecordHandler(deps: Deps): RecordHandler {
  const { log, metrics, clock } = deps;
  const aside = createSetAside<ReadRecord>({
    write: writeAside,
    bytesOf: ({ record }) => record.value.length,
    isWanted: ({ record }) => !record.signal.aborted,
    limits: deps.setAsideLimits ?? setAsideLimits,
    clock,
    random: deps.random,
    onWaiting: (tenant) => log.warn({ event: 'tenant.waited_for', tenant }),
    onFailure: (error) => deps.onFailure(toAppError(error)),
  });

  return async (records, signal) => {
    const patiently: Patiently = (work) => deps.waitOut(work, signal);
    try {
      await project(await readAll(records, patiently, signal), patiently, signal);
    } catch (error) {
      // The partition is lost, or the service stops: what is not done comes again.
      if (!isAppError(error, 'stopped')) throw error;
    }
  };

  async function readAll(
    records: readonly IncomingRecord[],
    patiently: Patiently,
    signal: AbortSignal,
  ): Promise<ReadRecord[]> {
    const read: ReadRecord[] = [];
    for (const record of records) {
      // A dead letter still has the headers of what died, and is for nobody else.
      if (record.topic !== deps.deadLettersTopic && isForAnother(record.headers, 'projector')) {
        record.done();
        continue;
      }
      const reading = await patiently(() => deps.read(record));
      if ('fact' in reading) read.push({ record, fact: reading.fact, isSetAside: false });
      else await fail({ record, fact: null, reason: 'malformed_record', attempts: 1 }, reading.malformed, signal);
    }
    return read;
  }

  /** In parts of so many rows, in order. */
  async function project(batch: readonly ReadRecord[], patiently: Patiently, signal: AbortSignal): Promise<void> {
    for (const part of partsOf(batch)) {
      const { culprits } = await bisect(part, (records) => write(records, patiently), halves);
      for (const { item, error, tries } of culprits)
        await fail({ ...item, reason: 'data_invalid', attempts: tries }, error, signal);
    }
    const waiting = batch.filter(({ isSetAside }) => isSetAside);
    if (waiting.length > 0) await aside.room([...new Set(waiting.map(tenantOfRecord))], signal);
  }

  async function write(batch: readonly ReadRecord[], patiently: Patiently): Promise<readonly void[]> {
    const free = withoutSetAside(batch);
    const tried = await patiently<Tried>(async () => {
      try {
        return { left: await writeTogether(free) };
      } catch (error) {
        // A single record can't be halved: it waits, as for a store that is away.
        if (free.length > 1 && isTimedOut(error)) return { slow: error };
        throw error;
      }
    });
    if (tried.slow !== undefined) throw tried.slow;
    if (tried.left.size > 0) setAside(free.filter((each) => tried.left.has(tenantOfRecord(each))));
    for (const each of free) if (!each.isSetAside) end(each);
    return batch.map(() => undefined);
  }

  /** Records of tenants that are waited for already are set aside, too. */
  function withoutSetAside(batch: readonly ReadRecord[]): readonly ReadRecord[] {
    if (aside.isEmpty() && !batch.some(({ isSetAside }) => isSetAside)) return batch;
    setAside(batch.filter((each) => !each.isSetAside && aside.has(tenantOfRecord(each))));
    return batch.filter(({ isSetAside }) => !isSetAside);
  }

  function setAside(records: readonly ReadRecord[]): void {
    for (const each of records) each.isSetAside = true;
    for (const [tenant, theirs] of Map.groupBy(records, tenantOfRecord)) aside.add(tenant, theirs);
  }

  /** @returns those of the tenant's records that still wait */
  async function writeAside(records: readonly ReadRecord[]): Promise<readonly ReadRecord[]> {
    const left = new Set(records);
    const finish = (each: ReadRecord): void => void left.delete(each);
    try {
      const [part = []] = partsOf(records);
      const { culprits } = await bisect(part, writeEach, halves);
      for (const { item, error, tries } of culprits) {
        await fail({ ...item, reason: 'data_invalid', attempts: tries }, error, item.record.signal);
        finish(item);
      }
    } catch (error) {
      const { retryable, code } = toAppError(error);
      if (!retryable && code !== 'stopped') throw error;
      if (!isLocked(error)) log.debug({ event: 'tenant.not_written', code, err: error });
    }
    return [...left];

    async function writeEach(some: readonly ReadRecord[]): Promise<readonly void[]> {
      try {
        await writeOnce(some, deps.writeAlone);
      } catch (error) {
        if (some.length > 1 || !isTimedOut(error)) throw error;
        // A single record can't be halved.
        throw new AppError('store_unavailable', error.message, { cause: error });
      }
      return some.map((each) => {
        end(each);
        finish(each);
      });
    }
  }

  function end({ record, fact }: ReadRecord): void {
    const { topic, headers } = record;
    metrics.records.inc({ topic, outcome: 'projected' });
    if (log.isOn('debug'))
      log.debug({ event: 'record.projected', topic, ...idsOf(fact), traceId: traceIdOf(headers[header.traceparent]) });
    record.done();
  }

  async function writeTogether(batch: readonly ReadRecord[]): Promise<ReadonlySet<string>> {
    if (batch.length === 0) return new Set();
    const bytes = batch.reduce((sum, { record }) => sum + record.value.length, 0);
    return writeOnce(batch, (facts) => deps.write(facts, bytes));
  }

  async function writeOnce<T>(batch: readonly ReadRecord[], writeFacts: (facts: Fact[]) => Promise<T>): Promise<T> {
    deps.crashPoints.reach('projector.before-transaction');
    const startedAtMs = clock.monotonicMs();
    const span = startBatchSpan(
      deps.tracer,
      deps.groupId,
      batch.map(({ record }) => record),
    );
    let written: T;
    try {
      written = await writeFacts(batch.map(({ fact }) => fact));
    } catch (error) {
      span.fail(toAppError(error).code);
      throw error;
    } finally {
      span.end();
    }
    const seconds = (clock.monotonicMs() - startedAtMs) / 1000;
    observe(metrics.transactionSeconds, seconds, { exemplar: span.exemplar });
    deps.crashPoints.reach('projector.after-transaction');
    return written;
  }

  async function fail(failed: FailedRecord, problem: AppError | string, signal: AbortSignal): Promise<void> {
    const { record, fact, reason, attempts } = failed;
    const why = typeof problem === 'string' ? problem : problem.message;
    const logged = { why, ...(fact && idsOf(fact)) };
    metrics.records.inc({ topic: record.topic, outcome: reason });
    if (record.topic !== deps.deadLettersTopic)
      return deps.buryRecord(record, { reason, attempts, headers: fact ? lookUpHeaders(fact) : {}, logged }, signal);
    const traceId = traceIdOf(record.headers[header.traceparent]);
    log.error({ event: 'letter.not_projected', reason, attempts, ...position(record), traceId, ...logged });
    record.done();
  }
}

const halves = (error: unknown): error is AppError => isAppError(error, 'data_invalid') || isTimedOut(error);

/** As much as a transaction writes in some hundred milliseconds, on a slow machine too. */
export const maxRowsAtOnce = 5_000;

function partsOf(batch: readonly ReadRecord[]): ReadRecord[][] {
  const parts: ReadRecord[][] = [];
  let room = 0;
  for (const each of batch) {
    const rows = rowsOf(each.fact);
    const last = parts.at(-1);
    if (last !== undefined && rows <= room) last.push(each);
    else {
      parts.push([each]);
      room = maxRowsAtOnce;
    }
    room -= rows;
  }
  return parts;
}

const tenantOfRecord = ({ fact }: ReadRecord): string => tenantOf(fact);

const position = ({ topic, partition, offset }: IncomingRecord) => ({ topic, partition, offset: String(offset) });

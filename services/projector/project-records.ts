/**
 * From records to rows, those of a partition in order, and then their offsets:
 *
 *   read ── can't be read ──────────────────────────────► dead letter `malformed_record` ─► done
 *     └─► written in one transaction, with those of other calls ───────────────────────► done
 *           ├─ Postgres is away: the same again, for as long as it takes; no record is to blame
 *           ├─ it takes too long: each half by itself, down to one record, which is tried for as long as it takes
 *           └─ the data is refused: each half by itself, and so on until the culprit stands alone
 *                                          └────────────► dead letter `data_invalid` ─────► done
 *
 * A dead letter about a dead letter would go round for ever: what is refused from `dead-letters` is logged and counted, and stays where it is.
 */
import type { WaitOut } from '#lib/backoff';
import { bisect } from '#lib/bisect';
import type { Clock } from '#lib/clock';
import { type DeadLetterReason, header, isForAnother } from '#lib/contract';
import type { CrashPoints } from '#lib/crash-points';
import type { BuryRecord } from '#lib/dead-letters';
import { type AppError, isAppError, toAppError } from '#lib/errors';
import type { IncomingRecord, RecordHandler } from '#lib/kafka';
import type { Logger } from '#lib/log';
import { isTimedOut } from '#lib/postgres';
import { observe, type Tracer, traceIdOf } from '#lib/telemetry';
import { type Fact, idsOf, rowsOf } from './facts.ts';
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
}

interface ReadRecord {
  record: IncomingRecord;
  fact: Fact;
}

/** Runs what needs a dependency until that is there. */
type Patiently = <T>(work: () => Promise<T>) => Promise<T>;

export function createRecordHandler(deps: Deps): RecordHandler {
  const { log, metrics, clock } = deps;

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
      if ('fact' in reading) read.push({ record, fact: reading.fact });
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
  }

  async function write(batch: readonly ReadRecord[], patiently: Patiently): Promise<readonly void[]> {
    const slow = await patiently(async () => {
      try {
        return await writeOnce(batch);
      } catch (error) {
        // A single record can't be halved: it waits, as for a store that is away.
        if (batch.length > 1 && isTimedOut(error)) return error;
        throw error;
      }
    });
    if (slow !== undefined) throw slow;
    return batch.map(end);
  }

  function end({ record, fact }: ReadRecord): void {
    const { topic, headers } = record;
    metrics.records.inc({ topic, outcome: 'projected' });
    log.debug({ event: 'record.projected', topic, ...idsOf(fact), traceId: traceIdOf(headers[header.traceparent]) });
    record.done();
  }

  async function writeOnce(batch: readonly ReadRecord[]): Promise<undefined> {
    deps.crashPoints.reach('projector.before-transaction');
    const startedAtMs = clock.monotonicMs();
    const span = startBatchSpan(
      deps.tracer,
      deps.groupId,
      batch.map(({ record }) => record),
    );
    try {
      await deps.write(
        batch.map(({ fact }) => fact),
        batch.reduce((sum, { record }) => sum + record.value.length, 0),
      );
    } catch (error) {
      span.fail(toAppError(error).code);
      throw error;
    } finally {
      span.end();
    }
    const seconds = (clock.monotonicMs() - startedAtMs) / 1000;
    observe(metrics.transactionSeconds, seconds, { exemplar: span.exemplar });
    deps.crashPoints.reach('projector.after-transaction');
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

const position = ({ topic, partition, offset }: IncomingRecord) => ({ topic, partition, offset: String(offset) });

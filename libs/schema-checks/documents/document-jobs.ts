/**
 * Jobs with documents and schemas of tenants: reading a request that has some, preparing a version, describing one. Each runs in a thread that is ended if
 * it takes more than its limit of a processor or of memory, and that has a lower priority than this one. Payloads are checked in another thread
 * (schema-checks.ts), so that no document delays an event.
 *
 * One job runs at a time. Tenants take turns: however many jobs one of them has waiting, another one's waits for the one that runs, and for one of each
 * other tenant. Beside that each has a share of the thread's time.
 */
import { type Clock, createPart, type Logger, type Part } from '#lib/runtime';
import { createEndedThread, type Unanswered } from '../ended-thread.ts';
import { createThreadShares } from '../thread-shares.ts';
import { documentLimits } from './limits.ts';
import type { DocumentAnswer, DocumentJob, DocumentResult } from './messages.ts';
import type { Draft, Prepared, SchemaFacts } from './prepare-schema.ts';
import type { ReadRequest } from './read-request.ts';
import type { FieldError } from './schema-errors.ts';

export interface Undone {
  kind: 'undone';
  /**
   * `too_much`: it goes beyond a limit, and would again; `limit` names it. `busy`: too many wait, the tenant's share is used up, or the thread failed: it
   * may be done later. `ended`: the caller's signal.
   */
  reason: 'too_much' | 'busy' | 'ended';
  limit: string;
}

interface Whose {
  tenant: string;
  /** Ends the job, also while it runs. */
  signal?: AbortSignal | undefined;
}

/** None of them throws. */
export interface DocumentJobs {
  /** @param bytes JSON; the thread gets them, so they are empty afterwards */
  read(bytes: Uint8Array, members: readonly string[], whose: Whose): Promise<ReadRequest | Undone>;
  readDocument(bytes: Uint8Array, member: string, whose: Whose): Promise<ReadRequest | Undone>;
  /** @returns what is wrong with it in `errors`; what it took of a processor in `tookMs` */
  prepare(draft: Draft, whose: Whose): Promise<((Prepared | { errors: FieldError[] }) & { tookMs: number }) | Undone>;
  /** @param schema JSON */
  describe(schema: string, whose: Whose): Promise<SchemaFacts | Undone>;
  /** Fields that the one schema describes and the other does not. */
  lacked(one: string, other: string, whose: Whose): Promise<string[] | Undone>;
}

interface JobLimits {
  readMs: number;
  schemaMs: number;
  megabytes: number;
  /** The part of the thread's time for each tenant, 0 to 1, and how much of it at once. */
  tenantShare: number;
  tenantBurstMs: number;
}

const usualLimits: JobLimits = {
  readMs: documentLimits.readMs,
  schemaMs: documentLimits.schemaMs,
  megabytes: documentLimits.megabytes,
  tenantShare: 0.5,
  tenantBurstMs: documentLimits.importMs,
};
const maxWaitingOfTenant = 20;
const maxWaiting = 400;
/** Bodies that wait to be read. */
const maxWaitingBytes = 96 * 1024 * 1024;
const idleMs = 60_000;

interface Waiting {
  job: DocumentJob;
  limitMs: number;
  whose: Whose;
  done(result: { result: DocumentResult; tookMs: number } | Undone): void;
}

interface Options {
  clock: Clock;
  log: Logger;
  limits?: Partial<JobLimits>;
}

export function createDocumentJobs({ clock, log, limits: given = {} }: Options): DocumentJobs & Part {
  const limits = { ...usualLimits, ...given };
  const thread = createEndedThread<DocumentJob, DocumentAnswer>({
    file: new URL('./document-worker.ts', import.meta.url),
    maxMegabytes: limits.megabytes,
    name: 'documents',
    log,
  });
  const shares = createThreadShares({ share: limits.tenantShare, burstMs: limits.tenantBurstMs });
  /** By tenant, the one whose turn it is first. */
  const queues = new Map<string, Waiting[]>();
  let [waiting, waitingBytes, isRunning, isStopped] = [0, 0, false, false];
  let idle: NodeJS.Timeout | undefined;

  const undone = (reason: Undone['reason'], limit = ''): Undone => ({ kind: 'undone', reason, limit });

  function whyNot(answer: Unanswered, limitMs: number): Undone {
    switch (answer) {
      case 'too_slow':
        return undone('too_much', `${limitMs} ms of a processor`);
      case 'out_of_memory':
        return undone('too_much', `${limits.megabytes} MB of memory`);
      case 'ended':
        return undone('ended');
      case 'busy':
      case 'failed':
        return undone('busy');
    }
  }

  function takeNext(): Waiting | undefined {
    for (const [tenant, queue] of queues) {
      queues.delete(tenant);
      const next = queue.shift();
      if (queue.length > 0) queues.set(tenant, queue);
      if (next === undefined) continue;
      waiting -= 1;
      waitingBytes -= bytesOf(next.job);
      return next;
    }
    return undefined;
  }

  async function runAll(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    clearTimeout(idle);
    for (let next = takeNext(); next !== undefined; next = takeNext()) await runOne(next);
    isRunning = false;
    if (!isStopped) idle = setTimeout(() => void thread.end(), idleMs).unref();
  }

  async function runOne({ job, limitMs, whose, done }: Waiting): Promise<void> {
    const { tenant, signal } = whose;
    if (isStopped || !shares.hasSome(tenant, clock.monotonicMs())) return done(undone('busy'));
    try {
      const transfer = 'bytes' in job && isWhole(job.bytes) ? [job.bytes.buffer] : [];
      const { answer, spentMs } = await thread.ask(job, { limitMs, signal, transfer });
      shares.spend(tenant, spentMs, clock.monotonicMs());
      if (typeof answer === 'string') {
        if (answer !== 'ended') log.warn({ event: 'schema_document.undone', tenant, job: job.kind, reason: answer });
        return done(whyNot(answer, limitMs));
      }
      const { result } = answer;
      done(result.kind === 'too_deep' ? undone('too_much', 'the levels of a stack') : { result, tookMs: spentMs });
    } catch (err) {
      log.warn({ event: 'schema_document.failed', err });
      done(undone('busy'));
    }
  }

  function run(
    job: DocumentJob,
    limitMs: number,
    whose: Whose,
  ): Promise<{ result: DocumentResult; tookMs: number } | Undone> {
    const queue = queues.get(whose.tenant) ?? [];
    const bytes = bytesOf(job);
    const isFull =
      queue.length >= maxWaitingOfTenant ||
      waiting >= maxWaiting ||
      (waiting > 0 && waitingBytes + bytes > maxWaitingBytes);
    if (isFull || isStopped) return Promise.resolve(undone('busy'));
    const { promise, resolve } = Promise.withResolvers<{ result: DocumentResult; tookMs: number } | Undone>();
    queue.push({ job, limitMs, whose, done: resolve });
    queues.set(whose.tenant, queue);
    waiting += 1;
    waitingBytes += bytes;
    void runAll();
    return promise;
  }

  async function read(job: DocumentJob, whose: Whose): Promise<ReadRequest | Undone> {
    const ended = await run(job, limits.readMs, whose);
    return 'kind' in ended ? ended : (ended.result as ReadRequest);
  }

  const part = createPart(
    'documents of tenants',
    async () => undefined,
    async () => {
      isStopped = true;
      clearTimeout(idle);
      await thread.end();
    },
  );

  return {
    ...part,
    read: (bytes, members, whose) => read({ kind: 'read', bytes, members }, whose),
    readDocument: (bytes, member, whose) => read({ kind: 'read_document', bytes, member }, whose),
    async prepare(draft, whose) {
      const ended = await run({ kind: 'prepare', draft }, limits.schemaMs, whose);
      if ('kind' in ended) return ended;
      const { prepared } = ended.result as DocumentResult & { kind: 'prepared' };
      return { ...prepared, tookMs: ended.tookMs };
    },
    async describe(schema, whose) {
      const ended = await run({ kind: 'describe', schema }, limits.schemaMs, whose);
      return 'kind' in ended ? ended : (ended.result as DocumentResult & { kind: 'described' }).facts;
    },
    async lacked(one, other, whose) {
      const ended = await run({ kind: 'compare', one, other }, limits.schemaMs, whose);
      return 'kind' in ended ? ended : (ended.result as DocumentResult & { kind: 'lacked' }).fields;
    },
  };
}

const bytesOf = (job: DocumentJob): number => ('bytes' in job ? job.bytes.byteLength : 0);

/** Whether nobody else has a part of its memory: small buffers of Node share theirs. */
const isWhole = (bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength && bytes.byteLength > 65_536;

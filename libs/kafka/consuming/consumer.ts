/**
 * A consumer on one client, for as long as that lasts; supervised-consumer.ts replaces it where it is in doubt. kafkajs's handler only puts
 * records into bounded queues, one per partition; ours is called with what they have, and what is done is committed within a second. A join
 * goes like this:
 *
 *   rebalance heard of ──► workers hold, handlers get a moment to finish ──► commit, in the old generation ──► join
 *     ──► partitions lost: dropped, their signals abort · kept: go on, what comes again is skipped
 *     ──► partitions gained: paused, the committed offset is asked for, read from there
 *
 * The committed offset is asked for by ourselves because a fetch that was on its way during the join can arrive after it: taken for
 * the first records of a new partition, it would have the offset committed beyond records that nobody has done.
 *
 * It guarantees: each record is handed out until its offset, and all below, are committed as done; commits are for partitions that are
 * assigned, in their own generation. It does not guarantee that a record is handed out once.
 */
import type { ConsumerCrashEvent, ConsumerGroupJoinEvent, EachBatchPayload } from 'kafkajs';
import { AppError, type AppErrorCode } from '#lib/errors';
import { rootCause } from '../client.ts';
import { createJoinGate } from '../kafkajs-patches/join-gate.ts';
import { onOffsetOutOfRange } from '../kafkajs-patches/offset-out-of-range.ts';
import { withPacedFetches } from '../kafkajs-patches/pace-fetches.ts';
import type { ConsumerMeter } from '../metrics.ts';
import type { PartitionRef } from '../port.ts';
import { within } from '../time-limit.ts';
import { createAssignment } from './assignment.ts';
import { createCommitTimer } from './commit-timer.ts';
import { connectInTime } from './connect-in-time.ts';
import { callLimitsOf, rebuildAfterOf, sessionTimeoutOf, workLimitsOf } from './consumer-options.ts';
import type { Consumption, ConsumptionOptions } from './consumption.ts';
import { createFetchPace, type FetchPace } from './fetch-pace.ts';
import { createHandlerCalls } from './handler-calls.ts';
import { createIdleWait } from './idle-wait.ts';
import { createKafkaConsumer } from './kafka-consumer.ts';
import { createMembershipLease } from './membership-lease.ts';
import { createOffsetCommitter } from './offset-committer.ts';
import { createPartitionControls } from './partition-controls.ts';
import { createPartitionWorker, type PartitionWorker } from './partition-worker.ts';
import { createGroupOffsets } from './positions/group-offsets.ts';
import { monitorLag } from './positions/lag-monitor.ts';
import { mendPosition } from './positions/mend-position.ts';
import { createReportPosition } from './positions/report-position.ts';
import { locateStarts } from './positions/start-offsets.ts';

const commitTimeoutMs = 2_000;
const returnTimeoutMs = 1_000;
const restartTimeoutMs = 2_000;
const startEndMs = 5_000;
const handlerReturnMs = 30_000;
const closeTimeoutMs = 5_000;

export function createConsumption(options: ConsumptionOptions): Consumption {
  const { clock, groupId, topics, log, crashes, meter } = options;
  const newClient = options.createClient;
  const limits = workLimitsOf(options);
  const stopping = new AbortController();
  const leaving = new AbortController();
  const background = new Set<Promise<void>>();
  /** Workers that have received records. */
  const readers = new WeakSet<PartitionWorker>();
  /** Workers whose offset the log does not have: paused until the reason is known. */
  const mending = new Set<PartitionWorker>();
  const groupOffsets = createGroupOffsets(newClient, groupId, clock);
  const report = createReportPosition(groupId, meter, log);
  const gate = createJoinGate(beforeJoin);
  const lease = createMembershipLease(clock, sessionTimeoutOf(options));
  let memberId: string | undefined;
  let lastMemberId: string | undefined;
  let phase: 'consuming' | 'draining' | 'joining' = 'consuming';
  let failed = false;
  let discarded = false;
  let starting: Promise<void> | undefined;
  /** Set while kafkajs, after a crash, starts its consumer anew by itself. */
  let restarting: PromiseWithResolvers<void> | undefined;

  const createWorker = (ref: PartitionRef, after: Promise<void>): PartitionWorker =>
    createPartitionWorker({
      ...ref,
      limits,
      after: within(clock, options.handlerReturnMs ?? handlerReturnMs, after, () =>
        log.warn({ event: 'consumer.handler_not_returned', group: groupId, ...ref }),
      ),
      onReady: () => calls.wake(),
      onCommittable: () => commits.wake(),
      onWantsMore: () => resume(ref),
      onIdle: () => idle.check(),
      onHole: (from, to) => {
        const offsets = { fromOffset: String(from), toOffset: String(to) };
        log.warn({ event: 'consumer.hole_in_log', group: groupId, ...ref, ...offsets });
      },
    });
  const assignment = createAssignment(createWorker, options.returning);
  const idle = createIdleWait(assignment.workers, clock);
  const calls = createHandlerCalls({
    workers: assignment.workers,
    handle: options.handle,
    limits: callLimitsOf(options),
    clock,
    onFailure: (error) => fail('bug', `the handler of ${topics.join()} threw`, error),
  });
  const committer = createOffsetCommitter(assignment.workers, log);
  const commits = createCommitTimer({
    intervalMs: options.commitIntervalMs ?? 1_000,
    isDue: () => assignment.workers().some((worker) => worker.committable() !== undefined),
    commit: commitInTime,
    clock,
  });
  const isReadWhole = (): boolean =>
    assignment.workers().every((worker) => worker.state() === 'open' && worker.wantsMore() && !mending.has(worker));
  const createPace = (): FetchPace => createFetchPace({ gatherMs: options.gatherMs ?? 0, mayRest: isReadWhole });

  const consumer = createKafkaConsumer(newClient(), options, {
    assigner: withPacedFetches(gate.assigner, { createPace, clock, leaving: leaving.signal }),
    mayRestart: (error) => !stopping.signal.aborted && crashes.mayRestart(rootCause(error)),
  });
  const { pause, resume, seek } = createPartitionControls(consumer, log);
  consumer.on(consumer.events.GROUP_JOIN, onJoin);
  consumer.on(consumer.events.CRASH, onCrash);
  // A join can fail and leave the member in its old generation, alive and well: then there will be no GROUP_JOIN.
  consumer.on(consumer.events.HEARTBEAT, () => {
    if (discarded) return;
    lease.heard();
    options.onHeard();
    resumeWorkers();
  });

  async function onBatch({ batch, commitOffsetsIfNecessary, isStale }: EachBatchPayload): Promise<void> {
    if (discarded) return;
    crashes.progressed();
    committer.commitBy(commitOffsetsIfNecessary);
    const worker = assignment.get(batch.topic, batch.partition);
    if (worker?.state() !== 'open' || isStale()) return;
    const committed = worker.committedOffset() ?? 0n;
    // The topic was made anew, or lost its end: then offsets mean other records now. Or a new leader does not know its own end yet.
    if (BigInt(batch.highWatermark) < committed) return mend(worker);
    if (!readers.has(worker)) {
      readers.add(worker);
      options.onFirstRead?.(refOf(worker), BigInt(batch.highWatermark));
    }
    if (worker.receive(batch.messages) === 'gap') return seek(worker, worker.nextOffset() ?? 0n);
    if (!worker.wantsMore()) pause(worker);
  }

  function mend(worker: PartitionWorker): void {
    pause(worker);
    if (mending.has(worker)) return;
    mending.add(worker);
    const readOn = (): void => {
      mending.delete(worker);
      seek(worker, worker.nextOffset() ?? 0n);
      if (worker.wantsMore()) resume(worker);
    };
    const mended = mendPosition(
      { worker, offsets: groupOffsets, report, readOn, beginAnew, clock, log },
      stopping.signal,
    );
    runInBackground(mended.finally(() => mending.delete(worker)));
  }

  /** As if the partition had been lost, and gained by a group that has not read it. */
  function beginAnew(worker: PartitionWorker, startOffset: bigint): void {
    const renewed = assignment.renew(worker);
    if (renewed === undefined) return;
    options.onRevoked?.([refOf(renewed)]);
    options.onAssigned?.([refOf(renewed)]);
    open(renewed, startOffset, false);
  }

  function onOutOfRange(member: string | null, { topic, partition }: PartitionRef): boolean {
    if (member === null || member !== memberId) return false;
    const worker = assignment.get(topic, partition);
    if (worker?.state() === 'open') mend(worker);
    return true;
  }

  /** Runs before every try to join: the first one of a rebalance gives handlers time and commits, while the old generation lasts. */
  async function beforeJoin(): Promise<void> {
    if (phase !== 'consuming') return;
    phase = 'draining';
    for (const worker of assignment.workers()) worker.hold();
    await idle.within(options.rebalanceDrainMs ?? 1_000);
    await within(clock, commitTimeoutMs, committer.commit(), () => undefined);
    committer.suspend();
    phase = 'joining';
  }

  function onJoin({ payload }: ConsumerGroupJoinEvent): void {
    if (discarded) return;
    const attempts = gate.takeAttempts();
    meter.joined();
    lease.heard();
    options.onHeard();
    restarting?.resolve();
    restarting = undefined;
    const continuous = payload.memberId === memberId && attempts === 1;
    memberId = payload.memberId;
    lastMemberId = memberId;
    const assigned = Object.entries(payload.memberAssignment).flatMap(([topic, partitions]) =>
      partitions.map((partition) => ({ topic, partition })),
    );
    const { lost, gained } = assignment.replace(assigned, continuous);
    gained.forEach(pause);
    for (const worker of assignment.workers()) {
      if (worker.state() !== 'open') continue;
      // A consumer that kafkajs started again has forgotten what was paused; one that rejoined has not.
      if (worker.wantsMore()) resume(worker);
      else pause(worker);
    }
    log.info({ event: 'consumer.joined', group: groupId, assigned: assigned.length, lost: lost.length, continuous });
    if (lost.length > 0) options.onRevoked?.(lost.map(refOf));
    if (gained.length > 0) options.onAssigned?.(gained.map(refOf));
    resumeWorkers();
    runInBackground(
      locateStarts({ workers: gained, offsets: groupOffsets, open, report, clock, log }, stopping.signal),
    );
  }

  function resumeWorkers(): void {
    if (phase !== 'joining') return;
    phase = 'consuming';
    committer.resume();
    if (!stopping.signal.aborted) for (const worker of assignment.workers()) worker.release();
  }

  function open(worker: PartitionWorker, startOffset: bigint, isCommitted: boolean): void {
    options.onOpened?.(refOf(worker), startOffset);
    worker.open(startOffset, isCommitted);
    seek(worker, startOffset);
    resume(worker);
  }

  function onCrash({ payload }: ConsumerCrashEvent): void {
    if (discarded) return;
    const lost = assignment.dropAll();
    committer.forget();
    committer.resume();
    memberId = undefined;
    phase = 'consuming';
    restarting?.resolve();
    restarting = payload.restart ? Promise.withResolvers() : undefined;
    const error = rootCause(payload.error);
    log.warn({ event: 'consumer.crashed', group: groupId, restart: payload.restart, reason: error.message });
    if (lost.length > 0) options.onRevoked?.(lost.map(refOf));
    if (!payload.restart && !stopping.signal.aborted)
      fail('kafka_unavailable', `the consumer of ${groupId} has crashed`, error);
  }

  function fail(code: AppErrorCode, problem: string, cause?: unknown): void {
    if (failed || discarded) return;
    failed = true;
    options.onFailure(new AppError(code, problem, { cause }));
  }

  /** Work that ends with the stop, at the latest. It never throws. */
  function runInBackground(work: Promise<void>): void {
    const tracked = work.finally(() => background.delete(tracked));
    background.add(tracked);
  }

  async function commitInTime(): Promise<void> {
    await within(clock, rebuildAfterOf(options), committer.commit(), () => {
      if (!stopping.signal.aborted) options.onDoubt('commit_unanswered');
    });
  }

  async function start(): Promise<void> {
    const endListening = onOffsetOutOfRange(onOutOfRange);
    stopping.signal.addEventListener('abort', endListening);
    await connectInTime(consumer, options, stopping.signal);
    await consumer.run({ autoCommit: false, eachBatch: onBatch });
    runInBackground(commits.run(stopping.signal));
    runInBackground(
      monitorLag(
        {
          offsets: groupOffsets,
          assigned: assignment.workers,
          meter: unlessDiscarded,
          clock,
          log,
          intervalMs: options.lagIntervalMs ?? 10_000,
        },
        stopping.signal,
      ),
    );
  }

  /** An answer that is still on its way says nothing any more. */
  const unlessDiscarded: ConsumerMeter = {
    ...meter,
    lag: (...measured) => void (discarded || meter.lag(...measured)),
    reached: (answered) => void (discarded || meter.reached(answered)),
  };

  async function stop(): Promise<void> {
    // At once, so that a start that waits for Kafka gives up.
    stopping.abort();
    if (starting === undefined) return;
    const started = starting.catch(() => undefined);
    await within(clock, startEndMs, started, () => undefined);
    for (const worker of assignment.workers()) worker.hold();
    await idle.within(options.stopDrainMs ?? 5_000);
    await within(clock, commitTimeoutMs, committer.commit(), () => undefined);
    const dropped = assignment.dropAll();
    memberId = undefined;
    const returned = Promise.all(dropped.map((worker) => worker.returned()));
    await within(clock, returnTimeoutMs, returned, () => []);
    // A consumer that is told to stop while it starts anew forgets its fetch loop, which then runs for ever.
    if (restarting !== undefined) {
      await within(clock, restartTimeoutMs, restarting.promise, () => undefined);
      await new Promise(setImmediate);
    }
    const disconnecting = consumer.disconnect();
    leaving.abort();
    await within(clock, closeTimeoutMs, disconnecting, () =>
      log.warn({ event: 'consumer.close_cut_short', group: groupId }),
    ).catch((error: unknown) => log.debug({ event: 'kafka.disconnect_failed', err: error }));
    await within(
      clock,
      closeTimeoutMs,
      Promise.all([...background, groupOffsets.close()]).then(() => undefined),
      () => undefined,
    );
  }

  return {
    start: () => (starting ??= start()),
    stop,
    discard() {
      discarded = true;
      stopping.abort();
      memberId = undefined;
      const lost = assignment.dropAll();
      for (const { topic, partition } of lost) meter.forget(topic, partition);
      if (lost.length > 0) options.onRevoked?.(lost.map(refOf));
    },
    partitions: () => assignment.workers().map(refOf),
    holdsMembership: () => phase === 'consuming' && memberId !== undefined && lease.holds(),
    lastMemberId: () => lastMemberId,
  };
}

const refOf = ({ topic, partition }: PartitionRef): PartitionRef => ({ topic, partition });

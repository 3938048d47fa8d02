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
import { AppError } from '#lib/runtime';
import { rootCause } from '../client.ts';
import { createJoinGate } from '../kafkajs-patches/join-gate.ts';
import { onOffsetOutOfRange } from '../kafkajs-patches/offset-out-of-range.ts';
import { withPacedFetches } from '../kafkajs-patches/pace-fetches.ts';
import type { ConsumerMeter } from '../metrics.ts';
import type { PartitionRef } from '../port.ts';
import { within } from '../time-limit.ts';
import { createAssignment, refOf } from './assignment.ts';
import { createBackground } from './background.ts';
import { createCommitTimer } from './commit-timer.ts';
import { connectInTime } from './connect-in-time.ts';
import { callLimitsOf, rebuildAfterOf, workLimitsOf } from './consumer-options.ts';
import type { Consumption, ConsumptionOptions } from './consumption.ts';
import { createFetchPace, type FetchPace } from './fetch-pace.ts';
import { createHandlerCalls } from './handler-calls.ts';
import { createIdleWait } from './idle-wait.ts';
import { createKafkaConsumer } from './kafka-consumer.ts';
import { commitTimeoutMs, createMembership } from './membership.ts';
import { createOffsetCommitter } from './offset-committer.ts';
import { createPartitionControls } from './partition-controls.ts';
import { createPartitionWorker, type PartitionWorker } from './partition-worker.ts';
import { createGroupOffsets } from './positions/group-offsets.ts';
import { monitorLag } from './positions/lag-monitor.ts';
import { createReading } from './reading.ts';

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
  const { signal } = stopping;
  const leaving = new AbortController();
  const background = createBackground();
  const groupOffsets = createGroupOffsets(newClient, groupId, clock);
  let failed = false;
  let discarded = false;
  let starting: Promise<void> | undefined;

  const createWorker = (ref: PartitionRef, after: Promise<void>): PartitionWorker =>
    createPartitionWorker({
      ...ref,
      limits,
      after: within(clock, options.handlerReturnMs ?? handlerReturnMs, after, () =>
        log.warn({ event: 'consumer.handler_not_returned', group: groupId, ...ref }),
      ),
      onReady: () => calls.wake(),
      onCommittable: () => commits.wake(),
      onWantsMore: () => controls.resume(ref),
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
    onUndecodable: options.onUndecodable,
    limits: callLimitsOf(options),
    gathering: options.gathering,
    clock,
    onFailure: (cause) => fail(new AppError('bug', `the handler of ${topics.join()} threw`, { cause })),
  });
  const committer = createOffsetCommitter(assignment.workers, log);
  const commits = createCommitTimer({
    intervalMs: options.commitIntervalMs ?? 1_000,
    isDue: () => assignment.workers().some((worker) => worker.committable() !== undefined),
    commit: commitInTime,
    clock,
  });

  const gate = createJoinGate(() => membership.beforeJoin());
  const createPace = (): FetchPace =>
    createFetchPace({ gatherMs: options.gatherMs ?? 0, mayRest: () => reading.isWhole() });
  const consumer = createKafkaConsumer(newClient(), options, {
    assigner: withPacedFetches(gate.assigner, { createPace, clock, leaving: leaving.signal }),
    mayRestart: (error) => !signal.aborted && crashes.mayRestart(rootCause(error)),
  });
  const controls = createPartitionControls(consumer, log);
  const parts = { options, assignment, controls, committer, signal };
  const reading = createReading({ ...parts, groupOffsets, background });
  const membership = createMembership({
    ...parts,
    idle,
    gate,
    onGained: reading.open,
    onLost: (cause) => fail(new AppError('kafka_unavailable', `the consumer of ${groupId} has crashed`, { cause })),
  });
  consumer.on(consumer.events.GROUP_JOIN, (event) => void (discarded || membership.onJoin(event)));
  consumer.on(consumer.events.CRASH, (event) => void (discarded || membership.onCrash(event)));
  consumer.on(consumer.events.HEARTBEAT, () => void (discarded || membership.onHeartbeat()));

  function onOutOfRange(member: string | null, ref: PartitionRef): boolean {
    if (member === null || member !== membership.id()) return false;
    reading.onOutOfRange(ref);
    return true;
  }

  function fail(error: AppError): void {
    if (failed || discarded) return;
    failed = true;
    options.onFailure(error);
  }

  async function commitInTime(): Promise<void> {
    await within(clock, rebuildAfterOf(options), committer.commit(), () => {
      if (!signal.aborted) options.onDoubt('commit_unanswered');
    });
  }

  async function start(): Promise<void> {
    const endListening = onOffsetOutOfRange(onOutOfRange);
    signal.addEventListener('abort', endListening);
    await connectInTime(consumer, options, signal);
    const eachBatch = async (batch: Parameters<typeof reading.onBatch>[0]): Promise<void> => {
      if (!discarded) reading.onBatch(batch);
    };
    await consumer.run({ autoCommit: false, eachBatch });
    background.run(commits.run(signal));
    const intervalMs = options.lagIntervalMs ?? 10_000;
    const measured = { offsets: groupOffsets, assigned: assignment.workers, meter: unlessDiscarded };
    background.run(monitorLag({ ...measured, clock, log, intervalMs }, signal));
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
    membership.leave();
    const returned = Promise.all(dropped.map((worker) => worker.returned()));
    await within(clock, returnTimeoutMs, returned, () => []);
    // A consumer that is told to stop while it starts anew forgets its fetch loop, which then runs for ever.
    const restarting = membership.restarting();
    if (restarting !== undefined) {
      await within(clock, restartTimeoutMs, restarting, () => undefined);
      await new Promise(setImmediate);
    }
    const disconnecting = consumer.disconnect();
    leaving.abort();
    await within(clock, closeTimeoutMs, disconnecting, () =>
      log.warn({ event: 'consumer.close_cut_short', group: groupId }),
    ).catch((error: unknown) => log.debug({ event: 'kafka.disconnect_failed', err: error }));
    const closed = Promise.all([background.ended(), groupOffsets.close()]).then(() => undefined);
    await within(clock, closeTimeoutMs, closed, () => undefined);
  }

  return {
    start: () => (starting ??= start()),
    stop,
    discard() {
      discarded = true;
      stopping.abort();
      membership.leave();
      const lost = assignment.dropAll();
      for (const { topic, partition } of lost) meter.forget(topic, partition);
      if (lost.length > 0) options.onRevoked?.(lost.map(refOf));
    },
    partitions: () => assignment.workers().map(refOf),
    handOut: calls.handOut,
    holdsMembership: membership.holds,
    lastMemberId: membership.lastId,
  };
}

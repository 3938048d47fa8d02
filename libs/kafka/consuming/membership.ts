/**
 * The states of a consumer as a member of its group:
 *
 *   consuming ──a try to join──► draining ──handlers have finished, or had their moment; committed──► joining
 *       ▲                                                                                               │
 *       └────────────── joined: the new assignment │ heard in the old generation │ crashed ─────────────┘
 *
 * While it is not consuming, workers hand out nothing, and nothing is committed once it joins.
 */
import type { ConsumerCrashEvent, ConsumerGroupJoinEvent } from 'kafkajs';
import { rootCause } from '../client.ts';
import type { JoinGate } from '../kafkajs-patches/join-gate.ts';
import { takeJoinGeneration } from '../kafkajs-patches/join-generation.ts';
import { within } from '../time-limit.ts';
import { type Assignment, refOf } from './assignment.ts';
import { sessionTimeoutOf } from './consumer-options.ts';
import type { ConsumptionOptions } from './consumption.ts';
import type { IdleWait } from './idle-wait.ts';
import { createMembershipLease } from './membership-lease.ts';
import type { OffsetCommitter } from './offset-committer.ts';
import type { PartitionControls } from './partition-controls.ts';
import type { PartitionWorker } from './partition-worker.ts';

/** For the last commit before partitions may be lost. */
export const commitTimeoutMs = 2_000;

export interface Membership {
  /** Runs before every try to join: the first one of a rebalance gives handlers time and commits, while the old generation lasts. */
  beforeJoin(): Promise<void>;
  onJoin(event: ConsumerGroupJoinEvent): void;
  onHeartbeat(): void;
  onCrash(event: ConsumerCrashEvent): void;
  /** It counts as no member any more. */
  leave(): void;
  /** Undefined where it is no member. */
  id(): string | undefined;
  lastId(): string | undefined;
  holds(): boolean;
  /** Resolves when kafkajs has started its consumer anew, as it does by itself after a crash; undefined where it does not just now. */
  restarting(): Promise<void> | undefined;
}

interface Deps {
  options: ConsumptionOptions;
  assignment: Assignment;
  controls: Pick<PartitionControls, 'pause' | 'resume'>;
  committer: OffsetCommitter;
  idle: IdleWait;
  gate: Pick<JoinGate, 'takeAttempts'>;
  onGained(workers: readonly PartitionWorker[]): void;
  /** It has crashed, and does not start again. */
  onLost(error: Error): void;
  /** Aborts at the stop. */
  signal: AbortSignal;
}

export function createMembership(deps: Deps): Membership {
  const { options, assignment, committer, idle, gate, signal } = deps;
  const { pause, resume } = deps.controls;
  const { clock, groupId, log } = options;
  const lease = createMembershipLease(clock, sessionTimeoutOf(options));
  let memberId: string | undefined;
  let lastMemberId: string | undefined;
  let phase: 'consuming' | 'draining' | 'joining' = 'consuming';
  let restarting: PromiseWithResolvers<void> | undefined;

  function resumeWorkers(): void {
    if (phase !== 'joining') return;
    phase = 'consuming';
    committer.resume();
    if (!signal.aborted) for (const worker of assignment.workers()) worker.release();
  }

  return {
    async beforeJoin() {
      if (phase !== 'consuming') return;
      phase = 'draining';
      for (const worker of assignment.workers()) worker.hold();
      await idle.within(options.rebalanceDrainMs ?? 1_000);
      await within(clock, commitTimeoutMs, committer.commit(), () => undefined);
      committer.suspend();
      phase = 'joining';
    },
    onJoin({ payload }) {
      const attempts = gate.takeAttempts();
      options.meter.joined();
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
      const generation = takeJoinGeneration(memberId);
      const counts = { assigned: assigned.length, lost: lost.length };
      log.info({ event: 'consumer.joined', group: groupId, generation, ...counts, continuous });
      if (lost.length > 0) options.onRevoked?.(lost.map(refOf));
      if (gained.length > 0) options.onAssigned?.(gained.map(refOf));
      resumeWorkers();
      deps.onGained(gained);
    },
    // A join can fail and leave the member in its old generation, alive and well: then there will be no GROUP_JOIN.
    onHeartbeat() {
      lease.heard();
      options.onHeard();
      resumeWorkers();
    },
    onCrash({ payload }) {
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
      if (!payload.restart && !signal.aborted) deps.onLost(error);
    },
    leave() {
      memberId = undefined;
    },
    id: () => memberId,
    lastId: () => lastMemberId,
    holds: () => phase === 'consuming' && memberId !== undefined && lease.holds(),
    restarting: () => restarting?.promise,
  };
}

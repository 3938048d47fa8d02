/**
 * A consumer that lasts: one that is in doubt is thrown away and built anew, whatever it waits for (rebuild-watch.ts says when).
 *
 *   consuming ──in doubt──► discarded: sockets destroyed, signals aborted, nothing that it still does counts
 *       ▲                       └──► its member leaves ──► the next one joins ──► each partition waits for its former handler ──┐
 *       └───────────────────────────────────────────────────────────────────────────────────────────────────────────────────┘
 *
 * It guarantees: of those that were built one after the other only the last is heard; `holdsMembership` is false until that has joined; the third that
 * has to be replaced within five minutes fails the process. It does not guarantee that a handler that ignores its signal is alone: its
 * partition waits for it for a bounded time.
 */
import type { Kafka } from 'kafkajs';
import { AppError, createPart } from '#lib/runtime';
import { type ClientOptions, createClient } from '../../client.ts';
import { createSocketFactory } from '../../kafkajs-patches/create-socket.ts';
import { measureConsumer } from '../../metrics.ts';
import { within } from '../../time-limit.ts';
import type { ReturningHandlers } from '../assignment.ts';
import { type ConsumerOptions, rebuildAfterOf, type RecordConsumer, sessionTimeoutOf } from '../consumer-options.ts';
import { createConsumption } from '../consumer.ts';
import type { Consumption } from '../consumption.ts';
import { createAskCoordinator } from './ask-coordinator.ts';
import { createCrashPolicy } from './crash-policy.ts';
import { createGroupPresence } from './group-presence.ts';
import { createRebuildLimits } from './rebuild-limits.ts';
import { createRebuildWatch, type DoubtReason } from './rebuild-watch.ts';
import { createSocketGate, type SocketGate } from './socket-gate.ts';

const firstConnectTimeoutMs = 60_000;
/** For the member's leaving, before the next one joins: a group that still counts on it would wait for it. */
const leaveMs = 1_000;
const mostAwayMs = 10 * 60_000;
const crashLimits = { awayMs: mostAwayMs, otherMs: 30_000 };

interface Life extends Consumption {
  sockets: SocketGate;
}

export function createConsumer(
  options: ConsumerOptions,
  newClient: (options: ClientOptions) => Kafka = createClient,
): RecordConsumer {
  const { clock, groupId, log, random = Math.random, coordinatorLimitMs = 10_000 } = options;
  const meter = measureConsumer(options.metrics, groupId);
  const presence = createGroupPresence(clock, sessionTimeoutOf(options));
  const limits = createRebuildLimits(clock, rebuildAfterOf(options), random);
  const crashes = createCrashPolicy(clock, crashLimits);
  const returning: ReturningHandlers = new Map();
  const stopping = new AbortController();
  /** kafkajs goes on about its connections for a while after a stop. */
  const clientLog: ClientOptions['log'] = {
    debug(line) {
      if (!isStopped) log.debug(line);
    },
  };
  let isStopped = false;
  const stopped = Promise.withResolvers<void>();
  const firstRebuilt = Promise.withResolvers<void>();
  const coordinator = createAskCoordinator({
    groupId,
    createClient() {
      const sockets = createSocketGate(createSocketFactory(options.tls));
      return { kafka: newClient({ ...options, log: clientLog, openSocket: sockets.open }), sockets };
    },
    limitMs: coordinatorLimitMs,
    clock,
    log,
  });
  const watch = createRebuildWatch({
    clock,
    silenceMs: limits.silenceMs,
    answersOthers: coordinator.answers,
    inDoubt: rebuild,
    keepWaiting,
  });
  let hasFailed = false;
  let life = createLife(firstConnectTimeoutMs);

  function createLife(connectTimeoutMs: number): Life {
    const sockets = createSocketGate(createSocketFactory(options.tls));
    const created: Life = {
      sockets,
      ...createConsumption({
        ...options,
        createClient: () => newClient({ ...options, log: clientLog, openSocket: sockets.open }),
        meter,
        crashes,
        returning,
        connectTimeoutMs,
        onFailure: fail,
        onHeard() {
          if (created !== life) return;
          presence.heard();
          limits.heard();
          watch.heard();
        },
        onDoubt(reason) {
          if (created === life) watch.doubt(reason);
        },
      }),
    };
    return created;
  }

  async function rebuild(reason: DoubtReason): Promise<boolean> {
    const former = life;
    const memberId = former.lastMemberId();
    former.discard();
    former.sockets.close();
    const absentMs = Math.round(presence.absentMs());
    if (limits.rebuilt()) {
      fail(new AppError('kafka_unavailable', `the consumer of ${groupId} was built anew twice, and is in doubt again`));
      return false;
    }
    meter.rebuilt(reason);
    log.warn({ event: 'consumer.rebuilt', group: groupId, reason, absentMs });
    life = createLife(Number.POSITIVE_INFINITY);
    firstRebuilt.resolve();
    if (memberId !== undefined) await within(clock, leaveMs, coordinator.leave(memberId), () => undefined);
    if (stopping.signal.aborted) return false;
    const next = life;
    next.start().catch((error: unknown) => log.debug({ event: 'kafka.start_failed', group: groupId, err: error }));
    return true;
  }

  function keepWaiting(awayMs: number): boolean {
    if (awayMs < mostAwayMs) return true;
    fail(new AppError('kafka_unavailable', `the coordinator of ${groupId} answers nobody`));
    return false;
  }

  function fail(error: Error): void {
    if (hasFailed) return;
    hasFailed = true;
    options.onFailure(error);
  }

  async function start(): Promise<void> {
    // Ends with the signal; until then it may have to wait for an answer, for which no stop waits.
    void watch.watch(stopping.signal);
    // After a rebuild the start goes on in the background: `isReady` says when the new one has joined.
    await Promise.race([life.start(), firstRebuilt.promise, stopped.promise]);
  }

  async function stop(): Promise<void> {
    coordinator.close();
    await life.stop();
    isStopped = true;
    life.sockets.close();
  }

  const hideAbsence = meter.showAbsence(presence.absentMs);
  const part = createPart(`kafka consumer ${groupId}`, start, stop);
  return {
    ...part,
    stop() {
      stopping.abort();
      stopped.resolve();
      hideAbsence();
      return part.stop();
    },
    isReady: presence.isMember,
    partitions: () => life.partitions(),
    handOut: () => life.handOut(),
    holdsMembership: () => life.holdsMembership(),
  };
}

/**
 * One endpoint that is down for days and then up again, and the dispatcher's own parts that deliver to it. Made up are Kafka (a record is
 * acknowledged some milliseconds later), the projector (which lags), the tables and the endpoint. Time is the simulation's.
 */
import { type AttemptRecord, isFinal, type StepRecord } from '#lib/contract';
import type { HttpResult } from '#lib/http-client';
import type { OutgoingRecord } from '#lib/kafka';
import { createWaitOut, noCrashPoints, silentLogger } from '#lib/runtime';
import { createDispatch } from '../../../services/dispatcher/send/dispatch.ts';
import { createEndOverdue } from '../../../services/dispatcher/waiting/end-overdue.ts';
import { factsOf } from '../../../services/dispatcher/endpoints/endpoint-facts.ts';
import { createEndpointHealth } from '../../../services/dispatcher/endpoints/endpoint-health.ts';
import { createIntake } from '../../../services/dispatcher/intake/intake.ts';
import { deliveryKey } from '../../../services/dispatcher/model/job.ts';
import { createOrderedIntake } from '../../../services/dispatcher/ordered/ordered-intake.ts';
import { createOrderedRows } from '../../../services/dispatcher/ordered/ordered-rows.ts';
import { createOutcomeWriter } from '../../../services/dispatcher/send/outcome-writer.ts';
import { createOwnedPartitions } from '../../../services/dispatcher/model/owned-partitions.ts';
import { createPublish } from '../../../services/dispatcher/publishing/publish.ts';
import { createReadContents } from '../../../services/dispatcher/waiting/read-contents.ts';
import { createRecentSteps } from '../../../services/dispatcher/model/recent-steps.ts';
import { createReleaseOrdered } from '../../../services/dispatcher/ordered/release-ordered.ts';
import { createScheduler } from '../../../services/dispatcher/lanes/scheduler.ts';
import { createWaitingRows } from '../../../services/dispatcher/waiting/waiting-rows.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import * as fixtures from '../../unit/dispatcher/fixtures.ts';
import { type CompactTables, createCompactTables } from './compact-tables.ts';
import { createEventClock, type EventClock } from './event-clock.ts';
import { createNumberedDeliveries, numberOf } from './numbered-deliveries.ts';
import { createServedRows } from '../../../services/dispatcher/waiting/served-rows.ts';
import { nothingErased } from '../../support/nothing-erased.ts';

export interface OutageOptions {
  perSecond: number;
  /** Keys of an endpoint that is ordered; 0 for one that is not. */
  keys: number;
  /** How long a delivery is tried. */
  windowMs: number;
  upAtMs: number;
  /** Events come until then. */
  endsAtMs: number;
  seed: number;
}

export interface OutageWorld {
  clock: EventClock;
  tables: CompactTables;
  /** All deliveries that there will be. */
  total: number;
  /** So many have come. */
  arrived(): number;
  /** Called for every send, before its answer. */
  onSend(listener: (number: number) => void): void;
  /** Records of `delivery.attempts`, by delivery; all in all, by kind and status. */
  recordsOf: Uint16Array;
  records: Map<string, number>;
  deadLetters(): number;
  ended(): number;
  stop(): Promise<void>;
}

/** The defaults of `HOOKLINE_DISPATCHER_…` and service.ts. */
const limits = {
  inFlight: 500,
  lane: { records: 2_000, bytes: 16 * 1024 * 1024, rows: 100 },
  totalRecords: 10_000,
  totalBytes: 64 * 1024 * 1024,
  totalRows: 2_000,
};
export const latencyMs = 20;
const refusedAfterMs = 5;
const acknowledgedAfterMs = 5;
const projectedAfterMs = 200;
const fetchEveryMs = 500;

export const startMs = fixtures.startMicros / 1_000;

export async function createOutageWorld(options: OutageOptions): Promise<OutageWorld> {
  const { perSecond, keys } = options;
  const random = seededRandom(options.seed);
  const clock = createEventClock(startMs);
  const total = Math.ceil(((options.endsAtMs - startMs) / 1_000) * perSecond);
  const deliveries = createNumberedDeliveries({ startMs, perSecond, keys });
  const tables = createCompactTables(total, keys, deliveries, () => clock.nowMs() * 1_000);
  const recordsOf = new Uint16Array(total);
  const records = new Map<string, number>();
  let arrived = 0;
  let ended = 0;
  let deadLetters = 0;
  let listener: (number: number) => void = () => undefined;

  const encoded = new WeakMap<Buffer, AttemptRecord>();
  const encodeAttempt = (record: AttemptRecord): Buffer => {
    const value = Buffer.allocUnsafe(1);
    encoded.set(value, record);
    return value;
  };

  let toProject: StepRecord[] = [];
  function keep(record: AttemptRecord): void {
    if (record.kind === 'fanned_out') return;
    const { kind, status } = record;
    const name = `${kind}, ${status}`;
    records.set(name, (records.get(name) ?? 0) + 1);
    const number = numberOf(record.delivery_id);
    recordsOf[number] = (recordsOf[number] as number) + 1;
    if (isFinal(status)) ended += 1;
    if (toProject.push(record) > 1) return;
    void clock.sleep(projectedAfterMs).then(() => {
      const batch = toProject;
      toProject = [];
      for (const one of batch) tables.project(one);
    });
  }

  let acknowledged: Promise<void> | undefined;
  async function acknowledge({ topic, value }: OutgoingRecord) {
    acknowledged ??= clock.sleep(acknowledgedAfterMs).then(() => void (acknowledged = undefined));
    await acknowledged;
    const record = encoded.get(value);
    if (record === undefined) deadLetters += 1;
    else keep(record);
    return { topic, partition: 0, offset: 0n };
  }

  const retry = { ...fixtures.anEndpoint().retry, windowMs: options.windowMs };
  const endpoint = fixtures.anEndpoint({ ordered: keys > 0, retry });
  const directory = {
    get: () => endpoint,
    candidates: () => [],
    paused: () => [],
    ageMs: () => 0,
    refresh: async () => undefined,
    recent: () => undefined,
  };
  const waitOut = createWaitOut({ clock, log: silentLogger });
  const owned = createOwnedPartitions(clock);
  const partition = { topic: fixtures.topics.deliveries, partition: 0 };
  owned.assigned([partition]);
  owned.opened(partition, 0n);
  const recentSteps = createRecentSteps(clock);
  const orderedRows = createOrderedRows({ table: tables.ordered, clock, random });
  const servedRows = createServedRows({ table: tables.waiting, orderedRows });
  const publish = createPublish({ producer: { send: acknowledge }, waitOut, clock, log: silentLogger });
  const outcomes = createOutcomeWriter({
    publish,
    ...fixtures.createBurying({ publish, clock }),
    topics: fixtures.topics,
    encodeAttempt,
    recentSteps,
    orderedRows,
    removeRow: servedRows.add,
    clock,
    crashPoints: noCrashPoints,
    signal: fixtures.never,
  });

  async function answer(): Promise<HttpResult> {
    if (clock.nowMs() < options.upAtMs) {
      await clock.sleep(refusedAfterMs);
      return fixtures.aFailure('connect', { detail: 'connection refused' });
    }
    await clock.sleep(latencyMs);
    return fixtures.anAnswer(200);
  }
  const dispatch = createDispatch({
    ...nothingErased,
    directory,
    holdsMembership: () => true,
    attempt: async ({ id }) => {
      listener(numberOf(id));
      return { result: await answer(), duration_ms: 1, request: fixtures.aSentRequest };
    },
    outcomes,
    disableEndpoint: async () => true,
    endpointFailing: { observe: () => undefined },
    lag: fixtures.noLag,
    metrics: fixtures.noMetrics,
    crashPoints: noCrashPoints,
    clock,
    random,
    log: silentLogger,
  });
  const health = createEndpointHealth({
    factsOf: () => factsOf(endpoint, clock.nowMs() * 1_000),
    metrics: fixtures.noMetrics,
    onClosed: ({ tenant, endpointId }) => void orderedRows.wake({ tenant, endpointId, partitions: owned.numbers() }),
    clock,
    random,
    log: silentLogger,
  });
  const scheduler = createScheduler({
    limits,
    clock,
    health,
    paceOf: () => undefined,
    takePermit: async () => 0,
    holdsMembership: () => true,
    run: dispatch,
    park: outcomes.parked,
    onHeldBack: () => undefined,
    onFailure: fail,
    giveUp: () => undefined,
    drainMs: 1_000,
  });
  const readContents = createReadContents(tables.waiting, directory);
  const waitingRows = createWaitingRows({
    table: tables.waiting,
    readContents,
    servedRows,
    owned,
    directory,
    scheduler,
    recentSteps,
    clock,
    releaseOrdered: createReleaseOrdered({
      orderedRows,
      readContents,
      owned,
      directory,
      scheduler,
      health,
      recentSteps,
      clock,
    }),
    endOverdue: createEndOverdue({
      table: tables.overdue,
      readContents,
      owned,
      directory,
      health,
      scheduler,
      recentSteps,
      outcomes,
      clock,
    }),
    endCancelled: async () => undefined,
    metrics: fixtures.noMetrics,
    log: silentLogger,
  });
  const intake = createIntake({
    ...nothingErased,
    directory,
    scheduler,
    recentSteps,
    outcomes,
    owned,
    clock,
    lag: fixtures.noLag,
    orderedIntake: createOrderedIntake({
      directory,
      scheduler,
      recentSteps,
      outcomes,
      orderedRows,
      owned,
      waitOut,
      onFailure: fail,
    }),
    knownDeliveries: {
      among: async (asked) => new Set(asked.filter(({ id }) => tables.isKnown(numberOf(id))).map(deliveryKey)),
    },
    log: silentLogger,
  });

  let failure: Error | undefined;
  function fail(error: Error): void {
    failure ??= error;
  }
  const stopping = new AbortController();

  async function keepFetching(): Promise<void> {
    while (arrived < total && !stopping.signal.aborted) {
      await clock.sleep(fetchEveryMs, stopping.signal);
      const upTo = Math.min(total, Math.floor(((clock.nowMs() - startMs) / 1_000) * perSecond));
      const batch = Array.from({ length: upTo - arrived }, (_, at) =>
        deliveries.recordOf(arrived + at, () => undefined),
      );
      arrived = upTo;
      if (batch.length > 0) void intake(batch, fixtures.never).catch(fail);
    }
  }

  await scheduler.start();
  await waitingRows.start();
  void keepFetching();

  return {
    clock: {
      ...clock,
      async runUntil(untilMs, isEnough) {
        await clock.runUntil(untilMs, () => failure !== undefined || isEnough());
        if (failure !== undefined) throw failure;
      },
    },
    tables,
    total,
    arrived: () => arrived,
    onSend: (next) => void (listener = next),
    recordsOf,
    records,
    deadLetters: () => deadLetters,
    ended: () => ended,
    stop: async () => stopping.abort(),
  };
}

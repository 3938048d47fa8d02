/**
 * Deliveries on their way through the dispatcher's own parts, with everything around them made up: Kafka's logs, the tables and the
 * projector (which lags), endpoints that fail at random, and a process that is killed at random crash points and started again. Time is the
 * test's. A write is durable if the killed process had been told so, and by chance if it had not been told.
 */
import { type AvroAttempt, type Delivery, type DeliveryStatus, isFinal } from '#lib/contract';
import { createManualClock, createWaitOut, silentLogger } from '#lib/runtime';
import { createDispatch } from '../../../services/dispatcher/send/dispatch.ts';
import { createEndpointHealth } from '../../../services/dispatcher/endpoints/endpoint-health.ts';
import { createIntake } from '../../../services/dispatcher/intake/intake.ts';
import { createOrderedIntake } from '../../../services/dispatcher/ordered/ordered-intake.ts';
import { createOrderedRows, type OrderedRows } from '../../../services/dispatcher/ordered/ordered-rows.ts';
import { deliveryKey, type Job } from '../../../services/dispatcher/model/job.ts';
import { createOutcomeWriter } from '../../../services/dispatcher/send/outcome-writer.ts';
import { createOwnedPartitions } from '../../../services/dispatcher/model/owned-partitions.ts';
import { createPublish } from '../../../services/dispatcher/publishing/publish.ts';
import { createReadContents } from '../../../services/dispatcher/waiting/read-contents.ts';
import { createRecentSteps } from '../../../services/dispatcher/model/recent-steps.ts';
import { createReleaseOrdered } from '../../../services/dispatcher/ordered/release-ordered.ts';
import { createScheduler } from '../../../services/dispatcher/lanes/scheduler.ts';
import { createWaitingRows } from '../../../services/dispatcher/waiting/waiting-rows.ts';
import type { DueRow, WaitingTable } from '../../../services/dispatcher/waiting/waiting-table.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { createFakeOrderedTable, endedIn } from './fake-ordered-table.ts';
import { createServedRows } from '../../../services/dispatcher/waiting/served-rows.ts';
import * as fixtures from './fixtures.ts';
import { nothingErased } from '../../support/nothing-erased.ts';

export interface Mutant {
  /** The record is done as soon as its outcome is known, not when it is written. */
  doneEarly?: boolean;
  /** Recent work is not remembered. */
  forgetful?: boolean;
  /** Rows are removed in any step. */
  removesLaterSteps?: boolean;
  /** A record that comes again is not looked up. */
  trusting?: boolean;
  /** The tables accept an end only in a higher step than they know. */
  deaf?: boolean;
  /** A delivery that has ended in one way continues in higher steps in another. */
  reopening?: boolean;
  /** In an order: the next goes though the one before waits. */
  impatient?: boolean;
  /** In an order: rows of its key are no reason to wait. */
  unblocked?: boolean;
  /** In an order: the lines are not read again before they are used. */
  stale?: boolean;
  /** In an order: its row is durable some time after its record. */
  rowLate?: boolean;
  /** In an order: rows are sent though not every record before them was seen. */
  hasty?: boolean;
}

export interface Result {
  /** For each delivery: how often it was sent, and its state in the tables. */
  deliveries: { id: string; sends: number; attempts: number; status: DeliveryStatus | 'unknown' }[];
  /** Dead-lettered, but without a dead letter. */
  withoutDeadLetter: string[];
  /** Sent by a process that knew its end: the tables had it at the process's start, or the process had written it itself. */
  sentAfterEnd: string[];
  /** Sent before one that comes before it in its order had ended. */
  outOfOrder: string[];
  kills: number;
}

const endpoints = ['ep_1', 'ep_2', 'ep_ordered'];
const perEndpoint = 8;
/** The ordering key of an event of the ordered endpoint; one in three has none. */
const orderingKeyOf = (at: number): string | null => ['k1', 'k2', null][at % 3] ?? null;
const limits = {
  inFlight: 6,
  lane: { records: 2, bytes: 10_000, rows: 2 },
  totalRecords: 100,
  totalBytes: 100_000,
  totalRows: 20,
};
const retry = { kind: 'backoff', baseMs: 500, capMs: 2_000, windowMs: 3_600_000, maxAttempts: 4 } as const;
const restartMs = 1_000;
const mostMs = 300_000;

export async function simulate(seed: number, options: { kills: number; mutant?: Mutant }): Promise<Result> {
  const { mutant = {} } = options;
  const random = seededRandom(seed);
  const clock = createManualClock();
  const sleepUpTo = (ms: number): Promise<void> => clock.sleep(1 + Math.floor(random() * ms));
  let kills = 0;

  // State that survives a process.
  const originals = endpoints.flatMap((endpointId) =>
    Array.from({ length: perEndpoint }, (_, at) =>
      fixtures.aDelivery({
        id: `dlv_${endpointId}_${at}`,
        eventId: `evt_${endpointId}_${at}`,
        endpointId,
        ...(endpointId === 'ep_ordered' && { orderingKey: orderingKeyOf(at) }),
      }),
    ),
  );
  // A fan-out that was repeated has put some on the topic twice.
  const log: Delivery[] = [...originals, ...originals.filter(() => random() < 0.3)];
  let committed = 0;
  const attemptsTopic: AvroAttempt[] = [];
  const deadLetters = new Set<string>();
  const known = new Map<string, { step: number; status: DeliveryStatus; attempts: number }>();
  const waiting = new Map<string, DueRow>();
  const sends = new Map<string, number>();
  const sentAfterEnd: string[] = [];
  const outOfOrder: string[] = [];
  const accepted = new Set<string>();
  const recordedEnds = new Set<string>();

  function checkOrder({ id, endpointId, orderingKey }: Delivery): void {
    if (endpointId !== 'ep_ordered' || orderingKey === null) return;
    const ofKey = originals.filter((one) => one.endpointId === endpointId && one.orderingKey === orderingKey);
    const before = ofKey.slice(
      0,
      ofKey.findIndex((one) => one.id === id),
    );
    for (const one of before)
      if (!accepted.has(one.id) && !recordedEnds.has(one.id)) outOfOrder.push(`${id} before ${one.id}`);
  }

  /** As services/projector/statements/outcomes.ts has it. */
  function project(record: AvroAttempt): void {
    const { delivery_id: id, step, status, attempt } = record;
    if (id === null || step === null || status === null || attempt === null) return;
    const before = known.get(id);
    const isEnd = isFinal(status) && !mutant.deaf;
    if (before !== undefined && (isFinal(before.status) || (before.step >= step && !isEnd))) return;
    known.set(id, {
      step: Math.max(step, before?.step ?? 0),
      status,
      attempts: Math.max(attempt, before?.attempts ?? 0),
    });
    const row = waiting.get(id);
    if (record.ordering_key !== null || row?.order !== undefined) return;
    if (isFinal(status)) {
      if (row !== undefined && row.step <= step) waiting.delete(id);
    } else if (row === undefined || row.step < step) {
      const dueAt = record.next_attempt_at ?? record.at;
      const state = status === 'retrying' ? ('retrying' as const) : ('parked' as const);
      waiting.set(id, { ...rowOf(record, id), state, dueAt, step, attempts: attempt });
    }
  }

  async function keepProjecting(): Promise<void> {
    for (let at = 0; ;) {
      await sleepUpTo(random() < 0.1 ? 3_000 : 50);
      const upTo = at + Math.ceil(random() * (attemptsTopic.length - at));
      for (; at < upTo; at += 1) project(attemptsTopic[at] as AvroAttempt);
    }
  }

  async function startProcess(): Promise<void> {
    let dead = false;
    const ended = new Set([...known].filter(([, { status }]) => isFinal(status)).map(([id]) => id));
    /** A request to a server may take effect though the process dies meanwhile and never hears of it. */
    const ask = async <T>(ms: number, work: () => T | Promise<T>): Promise<T> => {
      await sleepUpTo(ms);
      if (!dead) return work();
      if (random() < 0.5) void work();
      return new Promise(() => undefined);
    };
    const reach = (): void => {
      if (dead || kills >= options.kills || random() > 0.05) return;
      dead = true;
      kills += 1;
      void clock.sleep(restartMs).then(startProcess);
      throw new Error('killed');
    };
    const crashPoints = { reach };

    const noteAttempt = (record: AvroAttempt): void => {
      attemptsTopic.push(record);
      if (record.delivery_id !== null && record.status !== null && isFinal(record.status)) {
        ended.add(record.delivery_id);
        recordedEnds.add(record.delivery_id);
      }
    };
    const waitOut = createWaitOut({ clock, log: silentLogger });
    const publish = createPublish({
      producer: {
        send: (record) =>
          // Now and then a broker takes its time.
          ask(random() < 0.2 ? 1_500 : 20, () => {
            if (record.topic === fixtures.topics['delivery.attempts'])
              noteAttempt(fixtures.decodeAttempt(record.value));
            else deadLetters.add(String(record.headers['hookline-dl-origin']));
            return { topic: record.topic, partition: 0, offset: 0n };
          }),
      },
      waitOut,
      clock,
      log: silentLogger,
    });
    const owned = createOwnedPartitions(clock);
    const partition = { topic: 'deliveries', partition: 0 };
    owned.assigned([partition]);
    owned.opened(partition, BigInt(committed));
    if (mutant.hasty) owned.hasTaken = () => true;
    const recentSteps = createRecentSteps(clock);
    if (mutant.forgetful) recentSteps.has = () => false;
    const { has, endOf } = recentSteps;
    if (mutant.reopening)
      recentSteps.has = (delivery, step) => has(delivery, step) && !((endOf(delivery)?.step ?? step) < step);
    if (mutant.reopening) recentSteps.endOf = () => undefined;
    const directory = {
      get: (_tenant: string, id: string) =>
        fixtures.anEndpoint({ id, retry, maxInFlight: 2, ordered: id === 'ep_ordered' }),
      paused: () => [],
      ageMs: () => 0,
      recent: () => undefined,
      refresh: async () => undefined,
    };
    const fakeTable = createFakeOrderedTable({ waiting, known, nowMicros: () => clock.nowMs() * 1_000 });
    const orderedRows = createOrderedRows({
      table: { apply: (change) => ask(30, () => fakeTable.apply(change)) },
      clock,
      random,
    });
    const { placesOf, write } = orderedRows;
    if (mutant.unblocked)
      orderedRows.placesOf = async (...asked) =>
        (await placesOf(...asked)).map((place) => ({ ...place, blocked: false }));
    if (mutant.rowLate)
      orderedRows.write = async (...row) => void clock.sleep(500).then(() => (dead ? undefined : write(...row)));
    const outcomes = createOutcomeWriter({
      publish,
      ...fixtures.createBurying({ publish, clock }),
      topics: fixtures.topics,
      encodeAttempt: fixtures.encodeAttempt,
      recentSteps,
      orderedRows,
      removeRow: (job) => servedRows.add(job),
      clock,
      crashPoints,
      signal: fixtures.never,
    });
    const dispatch = createDispatch({
      ...nothingErased,
      directory,
      holdsMembership: () => true,
      attempt: async (delivery) => {
        const { id } = delivery;
        checkOrder(delivery);
        sends.set(id, (sends.get(id) ?? 0) + 1);
        if (ended.has(id)) sentAfterEnd.push(id);
        const status = random() < 0.5 ? 200 : 500;
        if (status === 200) accepted.add(id);
        return ask(400, () => ({
          result: fixtures.anAnswer(status),
          duration_ms: 1,
          request: fixtures.aSentRequest,
        }));
      },
      outcomes: mutant.doneEarly
        ? { ...outcomes, attempted: (job, ...rest) => (doneAtOnce(job), outcomes.attempted(job, ...rest)) }
        : outcomes,
      disableEndpoint: async () => true,
      endpointFailing: { observe: () => undefined },
      lag: fixtures.noLag,
      metrics: fixtures.noMetrics,
      crashPoints,
      clock,
      random,
      log: silentLogger,
    });
    const health = createEndpointHealth({
      factsOf: () => ({ maxInFlight: 2, revision: 1, isClosed: false }),
      metrics: fixtures.noMetrics,
      onClosed: ({ tenant, endpointId }) =>
        void orderedRows.wake({ tenant, endpointId, partitions: [0] }).catch(() => undefined),
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
      run: mutant.impatient ? (...args) => dispatch(...args).then(() => 'over') : dispatch,
      park: outcomes.parked,
      onHeldBack: () => undefined,
      onFailure: () => undefined,
      giveUp: () => undefined,
      drainMs: 1_000,
    });
    const table: WaitingTable = {
      due: ({ now, except, perLane, lanes, limit }) =>
        ask(30, () => {
          const inHand = new Set(except.map(({ id }) => id));
          const early = new Set(lanes.flatMap((lane) => (lane.early ? [lane.endpointId] : [])));
          const room = new Map(lanes.map(({ endpointId, room: places }) => [endpointId, places]));
          return [...waiting.values()]
            .filter(
              ({ deliveryId, dueAt, order, endpointId }) =>
                !inHand.has(deliveryId) &&
                (dueAt <= now || (order !== undefined && Number.isFinite(dueAt) && early.has(endpointId))),
            )
            .filter(({ deliveryId, order }) => order !== undefined || !endedIn(known, deliveryId))
            .map((row) => ({ ...row, ended: endedIn(known, row.deliveryId) }))
            .sort((a, b) => a.dueAt - b.dueAt)
            .filter(({ endpointId }) => {
              const left = room.get(endpointId) ?? perLane;
              room.set(endpointId, left - 1);
              return left > 0;
            })
            .slice(0, limit);
        }),
      contents: (events) =>
        // Now and then it takes its time.
        ask(random() < 0.2 ? 1_500 : 30, () =>
          events.map(({ tenant, eventId }) => {
            const original = originals.find((one) => one.eventId === eventId) ?? fixtures.aDelivery();
            const {
              eventType: type,
              receivedAt,
              orderingKey,
              traceparent,
              contentType,
              contentEncoding,
              payload,
            } = original;
            return {
              tenant,
              eventId,
              type,
              receivedAt,
              orderingKey,
              traceparent,
              contentType,
              contentEncoding,
              payload,
              request: null,
              trail: [],
            };
          }),
        ),
      remove: (rows) =>
        ask(30, () => {
          for (const { deliveryId, step } of rows)
            if (mutant.removesLaterSteps || (waiting.get(deliveryId)?.step ?? 0) <= step) waiting.delete(deliveryId);
          return [];
        }),
      count: async () => ({ retrying: 0, parked: 0 }),
    };
    const readContents = createReadContents(table, directory);
    const servedRows = createServedRows({ table, orderedRows });
    const waitingRows = createWaitingRows({
      table,
      readContents,
      servedRows,
      owned,
      directory,
      scheduler,
      recentSteps,
      clock,
      releaseOrdered: createReleaseOrdered({
        orderedRows: mutant.stale ? { ...orderedRows, linesOf: onceInTwo(orderedRows) } : orderedRows,
        readContents,
        owned,
        directory,
        scheduler,
        health,
        recentSteps,
        clock,
      }),
      endOverdue: async () => undefined,
      endCancelled: async () => undefined,
      metrics: fixtures.noMetrics,
      log: silentLogger,
    });

    await scheduler.start();
    await waitingRows.start();
    // Its records come some time after the partition.
    await sleepUpTo(2_000);
    const records = log
      .slice(committed)
      .map((delivery, at) => fixtures.aDeliveryRecord(delivery, BigInt(committed + at)));
    const start = committed;
    void keepCommitting();
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
        onFailure: () => undefined,
      }),
      knownDeliveries: {
        among: (deliveries) =>
          ask(30, () => new Set(mutant.trusting ? [] : deliveries.filter(({ id }) => known.has(id)).map(deliveryKey))),
      },
      log: silentLogger,
    });
    for (let at = 0; at < records.length && !dead;) {
      const batch = records.slice(at, (at += 1 + Math.floor(random() * 6)));
      await intake(batch, fixtures.never).catch(() => undefined);
    }

    async function keepCommitting(): Promise<void> {
      while (committed < log.length) {
        await clock.sleep(200);
        if (dead) return;
        const open = records.findIndex((record) => !record.isDone());
        committed = open === -1 ? log.length : start + open;
      }
    }
  }

  void keepProjecting();
  void startProcess();
  const allEnded = (): boolean =>
    committed === log.length && originals.every(({ id }) => isFinal(known.get(id)?.status ?? 'pending'));
  for (let ms = 0; ms < mostMs && !allEnded(); ms += 1_000) await clock.advance(1_000);
  // Pending sends are sent.
  await clock.advance(10_000);

  return {
    deliveries: originals.map(({ id }) => ({
      id,
      sends: sends.get(id) ?? 0,
      attempts: known.get(id)?.attempts ?? 0,
      status: known.get(id)?.status ?? 'unknown',
    })),
    withoutDeadLetter: [...known]
      .filter(([id, { status }]) => status === 'dead_lettered' && !deadLetters.has(id))
      .map(([id]) => id),
    sentAfterEnd,
    outOfOrder,
    kills,
  };
}

/** Every other answer is the one before. */
function onceInTwo({ linesOf }: OrderedRows): OrderedRows['linesOf'] {
  let last: ReturnType<OrderedRows['linesOf']> | undefined;
  return (keys) => {
    const again = last;
    last = again === undefined ? linesOf(keys) : undefined;
    return again ?? (last as ReturnType<OrderedRows['linesOf']>);
  };
}

const doneAtOnce = (job: Job): void => {
  if (job.from === 'record') for (const record of job.claims) record.done();
};

function rowOf(record: AvroAttempt, deliveryId: string) {
  return {
    tenant: record.tenant,
    deliveryId,
    partition: 0,
    endpointId: record.endpoint_id ?? '',
    eventId: record.event_id,
    generation: 0,
    createdAt: record.created_at ?? 0,
    order: undefined,
    notBefore: null,
    payloadBytes: 11,
    ended: false,
  };
}

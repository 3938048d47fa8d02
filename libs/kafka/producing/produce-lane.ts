/**
 * One connection to a leader, with at most one request in flight, and the partitions that wait for it. A request takes a batch of every
 * partition that waits, due or not: what wakes a broker, and this process with the answer, is the request and not the record.
 *
 *   partition waits ──the first is due, and no request in flight──► request ──answer──► each partition's own outcome
 *         │                                                           └──the partition's own time limit──► unknown, of this partition alone
 *         └── taken back (the leader has changed, the request in flight takes long) ──► it waits for another lane
 *
 * It guarantees that a request holds a partition once, and that what is said of one partition is the outcome of no other. Where one of several
 * partitions gives a request up, the lane goes no further: the rest of the request keeps its time on this connection, and all else goes
 * by another lane.
 */
import type { Clock, Logger } from '#lib/runtime';
import type { Compression } from '../codec/compression/compression.ts';
import { type BatchRecord, encodeRecordBatch } from '../codec/record-batch.ts';
import { within } from '../time-limit.ts';
import type { BrokerConnection } from './broker-connection.ts';
import { outcomeOfAnswer, outcomeOfFailure, type ProduceOutcome } from './produce-answer.ts';

/** A partition's batch in the making. */
export interface Sendable {
  readonly topic: string;
  readonly partition: number;
  /** The time at which it must be sent, by the monotonic clock; together with another it may go earlier. */
  dueAtMs(): number;
  /** The size of the batch that `cut` would take, about. */
  batchBytes(): number;
  /** Takes the batch out; empty if all of its records have ended already. */
  cut(): readonly BatchRecord[];
  /** After which the request counts as unanswered, for the batch that was cut; the lane's own limit holds too. */
  requestTimeoutMs(): number;
  /** @param tookMs of the whole request */
  settle(outcome: ProduceOutcome, tookMs: number): void;
  /** It was taken out of the lane, and has to choose another. */
  lookElsewhere(): void;
}

/** A leader that takes longer over a request is slow: waiting partitions use another lane if they can. */
export const slowAfterMs = 200;

export interface ProduceLane {
  /** Once, until it was cut or taken back. */
  add(waiting: Sendable): void;
  /** Something that waits has become due earlier than it was. */
  hurry(): void;
  /** Makes waiting partitions choose another lane. */
  disperse(): void;
  /** Partitions that wait or are in flight. */
  load(): number;
  /** How long the request in flight has been running; 0 without one. */
  inFlightMs(): number;
  connect(): Promise<void>;
  /** It takes no more: what waits chooses another lane, and the connection is closed after the request in flight. */
  retire(): void;
  close(): Promise<void>;
}

export interface ProduceLaneOptions {
  /** To the leader. */
  connect(): Promise<BrokerConnection>;
  clock: Clock;
  log: Logger;
  requestTimeoutMs: number;
  compression: Compression;
  /** Some partitions have given the request in flight up, and others have not: the lane is retired, and another has to take its place. */
  onGivenUp(): void;
}

/** The size of a request; a larger batch goes alone. */
const maxRequestBytes = 4 * 1024 * 1024;
/** A leader waits so long for the followers of several partitions; those that lag are sent alone from then on. */
export const followersTimeoutMs = 1_500;
const closeTimeoutMs = 2_000;

interface InFlight {
  sendable: Sendable;
  records: readonly BatchRecord[];
  limitMs: number;
}

export function createProduceLane({
  connect,
  clock,
  log,
  requestTimeoutMs,
  compression,
  onGivenUp,
}: ProduceLaneOptions): ProduceLane {
  const waiting = new Set<Sendable>();
  let inFlight: readonly InFlight[] = [];
  let connected: Promise<BrokerConnection> | undefined;
  let running = false;
  let closed = false;
  let lingering: { untilMs: number; end: AbortController } | undefined;
  let requestedAtMs: number | undefined;

  async function run(): Promise<void> {
    running = true;
    while (waiting.size > 0 && !closed) {
      await endOfTurn();
      await untilDue();
      inFlight = cutBatches();
      if (inFlight.length > 0) await send(inFlight);
    }
    running = false;
  }

  /** Records sent in the same turn of the event loop go along: waiting for them costs nothing. */
  const endOfTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  async function untilDue(): Promise<void> {
    for (;;) {
      let dueAtMs = Number.POSITIVE_INFINITY;
      for (const each of waiting) dueAtMs = Math.min(dueAtMs, each.dueAtMs());
      const restMs = dueAtMs - clock.monotonicMs();
      if (restMs <= 0 || waiting.size === 0 || closed) return;
      lingering = { untilMs: dueAtMs, end: new AbortController() };
      await clock.sleep(restMs, lingering.end.signal);
      lingering = undefined;
    }
  }

  function cutBatches(): InFlight[] {
    const cut: InFlight[] = [];
    let bytes = 0;
    for (const sendable of waiting) {
      bytes += sendable.batchBytes();
      if (cut.length > 0 && bytes > maxRequestBytes) break;
      waiting.delete(sendable);
      const records = sendable.cut();
      if (records.length === 0) continue;
      cut.push({ sendable, records, limitMs: Math.min(requestTimeoutMs, sendable.requestTimeoutMs()) });
    }
    return cut;
  }

  async function send(batches: readonly InFlight[]): Promise<void> {
    const beganAtMs = clock.monotonicMs();
    requestedAtMs = beganAtMs;
    const open = new Set(batches);
    const { promise: allGivenUp, resolve: abandon } = Promise.withResolvers<undefined>();

    function giveUp(some: readonly InFlight[], limitMs: number): void {
      for (const each of some) open.delete(each);
      if (open.size > 0) onGivenUp();
      else abandon(undefined);
      const outcome = outcomeOfFailure(new Error(`no answer within ${limitMs} ms`));
      for (const { sendable } of some) sendable.settle(outcome, clock.monotonicMs() - beganAtMs);
    }

    const limits = Map.groupBy(batches, ({ limitMs }) => limitMs)
      .entries()
      .filter(([limitMs]) => limitMs < requestTimeoutMs)
      .map(([limitMs, some]) => clock.startLimit(limitMs, () => giveUp(some, limitMs)))
      .toArray();
    const outcomes = await (limits.length === 0 ? request(batches) : Promise.race([request(batches), allGivenUp]));
    for (const stop of limits) stop();
    if (outcomes === undefined) renewConnection();
    const tookMs = clock.monotonicMs() - beganAtMs;
    requestedAtMs = undefined;
    inFlight = [];
    for (const [index, batch] of batches.entries()) {
      const outcome = outcomes?.[index];
      if (outcome !== undefined && open.has(batch)) batch.sendable.settle(outcome, tookMs);
    }
  }

  /** In the order of the batches. */
  async function request(batches: readonly InFlight[]): Promise<ProduceOutcome[]> {
    try {
      const nowMs = Math.trunc(clock.nowMs());
      const encoded = batches.map(({ sendable: { topic, partition }, records }) => ({
        topic,
        partition,
        bytes: encodeRecordBatch(records, nowMs, compression),
      }));
      const wholeMs = Math.ceil(Math.min(...batches.map(({ limitMs }) => limitMs)) * 0.8);
      const timeoutMs = batches.length > 1 ? Math.min(wholeMs, followersTimeoutMs) : wholeMs;
      const answered = open().then((connection) => connection.produce(encoded, timeoutMs));
      // kafkajs's own time limits don't cover everything: not connecting and authenticating.
      const answers = await within(clock, requestTimeoutMs * 2, answered, () => {
        throw new Error('no answer within twice the request time-out');
      });
      const outcomes = encoded.map(({ topic, partition }) => outcomeOfAnswer(answers, topic, partition));
      if (outcomes.some(isSuspect)) renewConnection();
      return outcomes;
    } catch (error) {
      renewConnection();
      return batches.map(() => outcomeOfFailure(error));
    }
  }

  /** The open connection, or a new one: brokers close idle connections. */
  async function open(): Promise<BrokerConnection> {
    const connection = await connectOnce();
    if (connection.isOpen()) return connection;
    renewConnection();
    return connectOnce();
  }

  function connectOnce(): Promise<BrokerConnection> {
    if (connected === undefined) {
      const opening = connect();
      connected = opening;
      opening.catch(() => {
        if (connected === opening) connected = undefined;
      });
    }
    return connected;
  }

  /** Without waiting: kafkajs closes it once its last request has ended. */
  function renewConnection(): void {
    const closing = connected?.then((connection) => connection.close());
    closing?.catch((error: unknown) => log.debug({ event: 'kafka.disconnect_failed', err: error }));
    connected = undefined;
  }

  /** Once, and with a reason: without one, an error with a stack is made for each record that joins a full batch. */
  function hurry(): void {
    lingering?.end.abort('ended');
    lingering = undefined;
  }

  function disperse(): void {
    const elsewhere = [...waiting];
    waiting.clear();
    for (const each of elsewhere) each.lookElsewhere();
  }

  return {
    add(sendable) {
      waiting.add(sendable);
      if (!running) void run();
      else if (lingering !== undefined && sendable.dueAtMs() < lingering.untilMs) hurry();
    },
    hurry,
    disperse,
    load: () => waiting.size + inFlight.length,
    inFlightMs: () => (requestedAtMs === undefined ? 0 : clock.monotonicMs() - requestedAtMs),
    connect: async () => void (await connectOnce()),
    retire() {
      closed = true;
      hurry();
      renewConnection();
      disperse();
    },
    async close() {
      closed = true;
      hurry();
      const closing = connected?.then((connection) => connection.close()).catch(() => undefined);
      connected = undefined;
      if (closing !== undefined) await within(clock, closeTimeoutMs, closing, () => undefined);
    },
  };
}

const isSuspect = (outcome: ProduceOutcome): boolean => outcome.kind === 'unknown' && outcome.connectionSuspect;

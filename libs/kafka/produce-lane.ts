import type { Kafka, Producer } from 'kafkajs';
import type { Clock } from '#lib/clock';
import type { Logger } from '#lib/log';
import { metadataMaxAgeMs, noRetry } from './client.ts';
import { preparedMessage } from './prepared-batches.ts';
import { judgeAnswer, judgeFailure, type ProduceOutcome } from './produce-answer.ts';
import { type BatchRecord, encodeRecordBatch } from './record-batch.ts';
import { within } from './time-limit.ts';

export type ProduceRequest = (
  topic: string,
  partition: number,
  records: readonly BatchRecord[],
) => Promise<ProduceOutcome>;

/** One producer connection with at most one request in flight. */
export interface ProduceLane {
  /** Runs the turns one after the other: what a turn sends is decided when its turn has come. */
  takeTurn(turn: (produce: ProduceRequest) => Promise<void>): Promise<void>;
  /** Turns that wait or run. */
  turns(): number;
  /** For how long the request in flight has been; 0 without one. */
  inFlightMs(): number;
  connect(): Promise<void>;
  close(): Promise<void>;
}

export interface ProduceLaneOptions {
  createClient(): Kafka;
  clock: Clock;
  log: Logger;
  requestTimeoutMs: number;
}

const closeTimeoutMs = 2_000;

export function createProduceLane({ createClient, clock, log, requestTimeoutMs }: ProduceLaneOptions): ProduceLane {
  let connected: Promise<Producer> | undefined;
  let lastTurn: Promise<void> = Promise.resolve();
  let turns = 0;
  let requestedAtMs: number | undefined;

  async function open(): Promise<Producer> {
    const producer = createClient().producer({
      // Every record names its partition; kafkajs would choose again at a retry.
      createPartitioner: () => (args) => args.message.partition ?? raisePartitionMissing(),
      retry: noRetry,
      // Its sequence numbers are wrong after a time-out: a broker then takes a new batch for a repetition.
      idempotent: false,
      maxInFlightRequests: 1,
      metadataMaxAge: metadataMaxAgeMs,
      allowAutoTopicCreation: false,
    });
    try {
      await producer.connect();
    } catch (error) {
      discard(producer);
      throw error;
    }
    return producer;
  }

  function connect(): Promise<Producer> {
    if (connected === undefined) {
      const opening = open();
      connected = opening;
      opening.catch(() => {
        if (connected === opening) connected = undefined;
      });
    }
    return connected;
  }

  /** Lets go of a connection without waiting: kafkajs closes it once its last request has ended. */
  function discard(producer: Producer): void {
    producer.disconnect().catch((error: unknown) => log.debug({ event: 'kafka.disconnect_failed', err: error }));
  }

  function renewConnection(): void {
    connected?.then(discard, () => undefined);
    connected = undefined;
  }

  const produce: ProduceRequest = async (topic, partition, records) => {
    let outcome: ProduceOutcome;
    requestedAtMs = clock.monotonicMs();
    try {
      const batch = encodeRecordBatch(records, Math.trunc(clock.nowMs()));
      const messages = [preparedMessage(partition, batch)];
      const request = connect().then((producer) =>
        producer.send({ topic, messages, acks: -1, timeout: Math.ceil(requestTimeoutMs * 0.8) }),
      );
      // kafkajs has time limits of its own, but not around all that `send` waits for (locks, connecting, refreshing).
      const answer = await within(clock, requestTimeoutMs * 2, request, () => {
        throw new Error('no answer within twice the request time-out');
      });
      outcome = judgeAnswer(answer, topic, partition);
    } catch (error) {
      outcome = judgeFailure(error);
    }
    requestedAtMs = undefined;
    if (outcome.kind === 'unknown' && outcome.connectionSuspect) renewConnection();
    return outcome;
  };

  return {
    takeTurn(turn) {
      turns += 1;
      const mine = lastTurn.then(() => turn(produce)).finally(() => (turns -= 1));
      lastTurn = mine.catch(() => undefined);
      return mine;
    },
    turns: () => turns,
    inFlightMs: () => (requestedAtMs === undefined ? 0 : clock.monotonicMs() - requestedAtMs),
    connect: async () => void (await connect()),
    async close() {
      const closing = connected?.then((producer) => producer.disconnect()).catch(() => undefined);
      connected = undefined;
      if (closing !== undefined) await within(clock, closeTimeoutMs, closing, () => undefined);
    },
  };
}

function raisePartitionMissing(): never {
  throw new TypeError('a record without a partition');
}

/**
 * Writes the dead letter of a record, however large it is and whatever the brokers say. Each step only where the one before was refused:
 *
 *   the record whole, on the topic ──refused──► shortened, on the topic ──each length refused──► whole, in Postgres
 *
 * A batch that can't be decoded is never shortened, and one of the dead-letter topic itself goes to Postgres at once.
 *
 * It guarantees that the dead letter stands somewhere when it resolves. A dependency that is away is waited for. A dead letter may stand
 * twice, as
 * after any crash: it is known by its stage, origin and generation.
 *
 * Called by whoever gives a record up: dedup, fan-out, dispatcher, projector. The record is done only after it.
 */
import { type DeadLetterFacts, deadLetterHeaders } from '#lib/contract';
import type { RecordProducer } from '#lib/kafka';
import { type Clock, isAppError, type Logger, nowMicros, type WaitOut } from '#lib/runtime';
import { type Metrics, registerMetrics } from '#lib/telemetry';
import type { DiedRecord } from './died-record.ts';
import type { KeepDeadLetter } from './keep-dead-letter.ts';
import { type DeadLetterCounter, deadLetterMetrics } from './metrics.ts';
import { shortenedForms } from './shorten.ts';

type Burial = 'whole' | 'shortened' | 'in_postgres';

/** @throws AppError stopped when the signal aborts */
export type Bury = (died: DiedRecord, facts: Omit<DeadLetterFacts, 'at'>, signal: AbortSignal) => Promise<Burial>;

export interface BuryDeps {
  producer: Pick<RecordProducer, 'send'>;
  /** `dead-letters`, with its prefix. */
  topic: string;
  keep: KeepDeadLetter;
  /** Counts the dead letters of the service. */
  counter: DeadLetterCounter;
  waitOut: WaitOut;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
}

/** Kafka and Postgres have both refused the dead letter. It must not be lost, so it is tried until an operator has fixed the cause. */
const nowherePauseMs = 10_000;

export function createBury({ producer, topic, keep, counter, waitOut, clock, log, metrics }: BuryDeps): Bury {
  const { burials, deadLetters } = registerMetrics({ ...deadLetterMetrics, deadLetters: counter }, metrics);

  async function isTaken(work: () => Promise<unknown>, signal: AbortSignal): Promise<boolean> {
    try {
      await waitOut(work, signal);
      return true;
    } catch (error) {
      if (!isAppError(error, 'data_invalid')) throw error;
      return false;
    }
  }

  async function buryOnce(died: DiedRecord, facts: DeadLetterFacts, signal: AbortSignal): Promise<Burial | undefined> {
    const dl = deadLetterHeaders(facts);
    const whole = { topic, key: died.key, value: died.value, headers: { ...died.headers, ...dl } };
    const isFromHere = died.batchOf === topic;
    if (!isFromHere && (await isTaken(() => producer.send(whole), signal))) return 'whole';
    for (const form of died.batchOf === undefined ? shortenedForms(died) : []) {
      const record = { topic, ...form, headers: { ...form.headers, ...dl } };
      if (await isTaken(() => producer.send(record), signal)) return 'shortened';
    }
    return (await isTaken(() => keep(died, facts), signal)) ? 'in_postgres' : undefined;
  }

  return async (died, given, signal) => {
    const facts = { ...given, at: nowMicros(clock) };
    const { stage, reason, origin } = facts;
    const line = { stage, reason, origin, bytes: died.value.length };
    for (;;) {
      const burial = await buryOnce(died, facts, signal);
      if (burial !== undefined) {
        burials.inc({ as: burial });
        deadLetters.inc({ stage, reason });
        if (burial !== 'whole' && died.batchOf !== topic)
          log.error({ event: 'dead_letter.refused', keptAs: burial, ...line });
        return burial;
      }
      log.error({ event: 'dead_letter.kept_nowhere', ...line });
      await clock.sleep(nowherePauseMs, signal);
    }
  };
}

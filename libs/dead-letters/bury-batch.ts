import { type DeadLetterStage, originOfBatch, undecodableBatchHeaders } from '#lib/contract';
import type { UndecodableBatchHandler } from '#lib/kafka';
import type { Logger } from '#lib/runtime';
import type { Bury } from './bury.ts';

interface Deps {
  bury: Bury;
  stage: DeadLetterStage;
  log: Logger;
}

/** A broken batch is read again before it is given up. */
const attempts = 2;

/**
 * Gives up a batch that can't be decoded: writes a dead letter with the batch's bytes, which names every offset in it, logs it, and then the batch
 * is done.
 *
 * @throws AppError stopped when the batch's signal aborts
 */
export const createBuryBatch =
  ({ bury, stage, log }: Deps): UndecodableBatchHandler =>
  async (batch) => {
    const { topic, partition, compression, problem, value } = batch;
    const origin = originOfBatch(batch);
    const reason = 'undecodable_batch';
    const died = { key: null, value, headers: undecodableBatchHeaders(batch), batchOf: topic };
    await bury(died, { stage, reason, attempts, origin }, batch.signal);
    const offsets = { firstOffset: String(batch.firstOffset), lastOffset: String(batch.lastOffset) };
    const facts = { stage, reason, origin, topic, partition, ...offsets, compression, bytes: value.length };
    log.error({ event: 'batch.dead_lettered', ...facts, problem: `the batch ${problem}` });
    batch.done();
  };

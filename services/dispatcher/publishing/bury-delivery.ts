import { type DeadLetterReason, type Delivery, deliveryHeaders } from '#lib/contract';
import type { Bury } from '#lib/dead-letters';

/**
 * Writes the dead letter of a delivery: its record of `deliveries` as it was written first, since a row of `waiting` does not hold it.
 *
 * @throws AppError stopped when the signal aborts
 */
export type BuryDelivery = (
  delivery: Delivery,
  end: { reason: DeadLetterReason; attempts: number },
  signal: AbortSignal,
) => Promise<void>;

export const createBuryDelivery =
  (bury: Bury): BuryDelivery =>
  async ({ payload, ...facts }, end, signal) => {
    const record = { key: facts.endpointId, value: payload, headers: deliveryHeaders(facts) };
    await bury(record, { stage: 'dispatcher', origin: facts.id, ...end }, signal);
  };

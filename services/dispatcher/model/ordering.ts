import { hash } from 'node:crypto';
import type { Delivery } from '#lib/contract';

/**
 * A delivery's place among those of its endpoint with the same ordering key. Only deliveries of one key are ordered: each is sent after all
 * earlier ones have ended.
 */
export interface Order {
  /** Names the ordering key: the first half of its SHA-256 in hex, because a key may be long, and text that Postgres does not take. */
  readonly key: string;
  /** The offset of the delivery's first record, in this partition of `deliveries`. */
  readonly sequence: bigint;
  readonly partition: number;
}

/** The delivery's ordering key, hashed; undefined if its endpoint is not ordered, or its event has no key. */
export function orderingKeyOf(
  endpoint: { ordered: boolean } | undefined,
  { orderingKey }: Pick<Delivery, 'orderingKey'>,
): string | undefined {
  if (endpoint?.ordered !== true || orderingKey === null) return undefined;
  return hash('sha256', orderingKey, 'hex').slice(0, 32);
}

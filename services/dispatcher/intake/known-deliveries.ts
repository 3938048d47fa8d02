import type { Delivery } from '#lib/contract';
import type { Query } from '#lib/postgres';
import { deliveryKey } from '../model/job.ts';

export interface KnownDeliveries {
  /**
   * The deliveries that have ended or wait in the table, as far as the projector has come.
   *
   * @throws AppError store_unavailable
   */
  among(deliveries: readonly Delivery[]): Promise<ReadonlySet<string>>;
}

/** Step 0 is a delivery that is known from its set alone. */
const withOutcome = `
  SELECT d.tenant, d.id
    FROM unnest($1::text[], $2::text[]) AS asked (tenant, id)
    JOIN deliveries d ON d.tenant = asked.tenant AND d.id = asked.id
   WHERE d.step > 0`;

export function createKnownDeliveries(postgres: Query): KnownDeliveries {
  return {
    async among(deliveries) {
      const values = [deliveries.map(({ tenant }) => tenant), deliveries.map(({ id }) => id)];
      const rows = await postgres.query<{ tenant: string; id: string }>(withOutcome, values, 'known-deliveries');
      return new Set(rows.map(deliveryKey));
    },
  };
}

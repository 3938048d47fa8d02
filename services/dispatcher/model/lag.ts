import type { Delivery } from '#lib/contract';
import type { IncomingRecord } from '#lib/kafka';
import { createLagReport } from '#lib/lag';
import type { Redis } from '#lib/redis';
import type { ServiceContext } from '#lib/service-host';
import type { Endpoint } from './endpoint.ts';
import type { Job } from './job.ts';

/**
 * Notes how late deliveries are, for the ingress, which then has their senders wait a little. Only lag of ours counts: what waits for its endpoint
 * (it is slow, hangs, is down, paused, or has a rate limit, an order, or failed sends) slows nobody down.
 */
export interface Lag {
  /** Taken from Kafka, which waits for no endpoint. */
  taken(record: Pick<IncomingRecord, 'partition'>, delivery: Delivery): void;
  /** Its endpoint has taken it. @param durationMs of the send */
  delivered(job: Job, endpoint: Pick<Endpoint, 'pace'>, durationMs: number): void;
}

/** An endpoint that answers so quickly takes 200 deliveries a second over ten connections: what waits for it waits for us. */
const quickMs = 50;

export function buildLag(given: {
  config: { topicPrefix: string };
  context: Pick<ServiceContext, 'clock'>;
  redis: Redis;
}): Lag {
  const common = { redis: given.redis, prefix: given.config.topicPrefix, clock: given.context.clock };
  const atIntake = createLagReport({ ...common, stage: 'dispatched' });
  const atEnd = createLagReport({ ...common, stage: 'delivered' });
  return {
    taken({ partition }, { tenant, receivedAt, generation }) {
      // A replay's event was received long ago.
      if (generation === 0) atIntake.note({ tenant, partition, receivedAt });
    },
    delivered(job, { pace }, durationMs) {
      if (job.from !== 'record' || job.order !== undefined || pace !== undefined || durationMs > quickMs) return;
      const { tenant, receivedAt, generation } = job.delivery;
      const [claim] = job.claims;
      if (generation === 0 && claim !== undefined) atEnd.note({ tenant, partition: claim.partition, receivedAt });
    },
  };
}

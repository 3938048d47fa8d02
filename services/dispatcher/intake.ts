import { type Delivery, parseDelivery } from '#lib/contract';
import { isAppError } from '#lib/errors';
import type { IncomingRecord, RecordHandler } from '#lib/kafka';
import type { EndpointDirectory } from './endpoint-directory.ts';
import type { RecordJob } from './job.ts';
import type { OutcomeWriter } from './outcome-writer.ts';
import type { RecentSteps } from './recent-steps.ts';
import type { Scheduler } from './scheduler.ts';

interface Deps {
  directory: EndpointDirectory;
  scheduler: Pick<Scheduler, 'offer' | 'held'>;
  recentSteps: Pick<RecentSteps, 'has'>;
  outcomes: Pick<OutcomeWriter, 'parked' | 'malformed'>;
}

const firstStep = 1;

/**
 * Takes deliveries from Kafka into the lanes. It never waits for an endpoint: what finds no room is parked, at the speed of Kafka.
 */
export function createIntake({ directory, scheduler, recentSteps, outcomes }: Deps): RecordHandler {
  /** Whether the directory can be trusted to know these endpoints, or not to: an unknown one may have been made a moment ago. */
  async function directoryKnows(deliveries: readonly Delivery[]): Promise<boolean> {
    const isKnown = ({ tenant, endpointId }: Delivery): boolean => directory.get(tenant, endpointId) !== undefined;
    if (deliveries.every(isKnown)) return true;
    try {
      await directory.refresh();
      return true;
    } catch (error) {
      if (isAppError(error) && error.retryable) return false;
      throw error;
    }
  }

  async function take(
    record: IncomingRecord,
    delivery: Delivery,
    canJudge: boolean,
    signal: AbortSignal,
  ): Promise<void> {
    // On the topic twice, or handed out again after a rebalance: its outcome is durable, or will be soon.
    if (recentSteps.has(delivery, firstStep)) return record.done();
    const held = scheduler.held(delivery);
    if (held?.from === 'record') return void held.claims.push({ record, signal });
    if (held?.from === 'row') return record.done();

    const job: RecordJob = { from: 'record', delivery, step: firstStep, attempts: 0, claims: [{ record, signal }] };
    const isUnknown = directory.get(delivery.tenant, delivery.endpointId) === undefined;
    // Unknown with Postgres away: it waits there, until someone can tell what the endpoint is.
    if (isUnknown && !canJudge) return outcomes.parked(job);
    // 'stopping' leaves it undone, for the successor.
    if (scheduler.offer(job) === 'full') await outcomes.parked(job);
  }

  return async (records, signal) => {
    const parsed = records.map((record) => ({ record, delivery: parseDelivery(record.headers, record.value) }));
    const canJudge = await directoryKnows(
      parsed.flatMap(({ delivery }) => ('malformed' in delivery ? [] : [delivery])),
    );
    await Promise.all(
      parsed.map(({ record, delivery }) =>
        'malformed' in delivery ? outcomes.malformed(record) : take(record, delivery, canJudge, signal),
      ),
    );
  };
}

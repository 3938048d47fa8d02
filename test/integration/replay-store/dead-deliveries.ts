import type { Postgres } from '#lib/postgres';
import { createDeadLetterReplay, type DeadLetterFilter, type DeadLetterReplay } from '#lib/replay-store';
import type { Fact } from '../../../services/projector/facts.ts';
import { deliveryId, eventFact, fanOutFact, outcomeFact, startAt } from '../../unit/projector/facts.ts';
import { packHeaders } from '#lib/contract';
import { createId, formatMicros } from '#lib/runtime';
import { project } from '../projector/projection.ts';

type DeadLetter = Extract<Fact, { kind: 'dead_letter' }>['deadLetter'];

/** The dead letter of a delivery of an event to an endpoint. */
export const deliveryDeadLetter = (
  tenant: string,
  eventId: string,
  endpointId: string,
  more: Partial<DeadLetter> = {},
): Fact => ({
  kind: 'dead_letter',
  deadLetter: {
    tenant,
    stage: 'dispatcher',
    reason: 'retries_exhausted',
    attempts: 4,
    origin: deliveryId(eventId, endpointId, more.generation ?? 0),
    generation: 0,
    at: startAt + 500,
    event_id: eventId,
    delivery_id: deliveryId(eventId, endpointId, more.generation ?? 0),
    endpoint_id: endpointId,
    source_id: null,
    event_type: 'order.created',
    key: Buffer.from(endpointId),
    headers: packHeaders({}),
    value: null,
    shortenedFrom: null,
    partition: 0,
    offset: 1n,
    ...more,
  },
});

/** Events whose deliveries to all of these endpoints have died. */
export async function killDeliveries(
  postgres: Postgres,
  tenant: string,
  eventIds: readonly string[],
  endpointIds: readonly string[],
): Promise<void> {
  const facts = eventIds.flatMap((eventId, index) => [
    eventFact({ tenant, eventId }, { origin: `r-0-${eventId}` }),
    fanOutFact({ tenant, eventId }, endpointIds),
    ...endpointIds.flatMap((endpointId) => [
      outcomeFact({ tenant, eventId }, endpointId, 1, 'dead_lettered'),
      deliveryDeadLetter(tenant, eventId, endpointId, { at: startAt + 1_000 * index }),
    ]),
  ]);
  await project(postgres, facts);
}

/** Asks for a replay of dead letters as the API does. */
export const replayDeadLetters = (
  postgres: Postgres,
  tenant: string,
  filter: DeadLetterFilter = {},
  { claim, ...more }: Partial<DeadLetterReplay> & { claim?: Parameters<typeof createDeadLetterReplay>[2] } = {},
) =>
  postgres.transaction((tx) =>
    createDeadLetterReplay(
      tx,
      {
        tenant,
        id: createId('rpl', Date.now()),
        request: {},
        ratePerSecond: null,
        createdAt: formatMicros(Date.now() * 1_000),
        filter,
        limit: 100_000,
        ...more,
      },
      claim,
    ),
  );

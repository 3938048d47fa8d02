import type { Clock } from '#lib/clock';
import { header, isName } from '#lib/contract';
import type { Bury } from '#lib/dead-letters';
import { originOf } from '#lib/kafka';
import type { Fact } from './facts.ts';
import type { ProjectorMetrics } from './metrics.ts';
import type { FailedRecord } from './project-records.ts';

interface Deps {
  bury: Bury;
  clock: Clock;
  metrics: ProjectorMetrics;
}

/** Writes the dead letter of a record: key, headers and bytes as they were, and what happened. */
export function createBurial({ bury, clock, metrics }: Deps) {
  return async ({ record, fact, reason, attempts }: FailedRecord, signal: AbortSignal): Promise<void> => {
    const { key, value, rawHeaders } = record;
    const origin = record.headers[header.origin] || originOf(record);
    const headers = { ...(fact === null ? {} : whose(fact)), ...rawHeaders };
    const facts = { stage: 'projector', reason, attempts, origin, at: clock.nowMs() * 1000 } as const;
    await bury({ key, value, headers }, facts, signal);
    metrics.deadLetters.inc({ stage: 'projector', reason });
  };
}

/**
 * Identifiers by which the dead letter is looked up, for records that have them in their value alone. Only valid names: with another the
 * dead letter's row would be refused as the record was, or the dead letter itself be too large.
 */
function whose(fact: Fact): Record<string, string> {
  return Object.fromEntries(Object.entries(namesIn(fact)).filter(([, text]) => isName(text)));
}

function namesIn(fact: Fact): Record<string, string> {
  switch (fact.kind) {
    case 'event': {
      const { tenant, id, source_id, type } = fact.event;
      return { [header.tenant]: tenant, [header.eventId]: id, [header.sourceId]: source_id, [header.eventType]: type };
    }
    case 'duplicate': {
      const { tenant, event_id, source_id } = fact.duplicate;
      return {
        [header.tenant]: tenant,
        [header.sourceId]: source_id,
        ...(event_id === null ? {} : { [header.eventId]: event_id }),
      };
    }
    case 'fan-out': {
      const { tenant, event_id } = fact.fanOut;
      return { [header.tenant]: tenant, [header.eventId]: event_id };
    }
    case 'outcome': {
      const { tenant, event_id, delivery_id, endpoint_id } = fact.outcome;
      return {
        [header.tenant]: tenant,
        [header.eventId]: event_id,
        [header.deliveryId]: delivery_id,
        [header.endpointId]: endpoint_id,
      };
    }
    case 'dead_letter':
      return {};
  }
}

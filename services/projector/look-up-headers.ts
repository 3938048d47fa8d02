import { header, isName } from '#lib/contract';
import type { Fact } from './facts.ts';

/**
 * Identifiers by which the dead letter is looked up, for records that have them in their value alone. Only valid names: with another the
 * dead letter's row would be refused as the record was, or the dead letter itself be too large.
 */
export function lookUpHeaders(fact: Fact): Record<string, string> {
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

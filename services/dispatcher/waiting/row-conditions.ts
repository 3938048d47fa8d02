/** Conditions on a row `w` of `waiting`, as SQL, each on that row alone: joins would have the planner sort the whole backlog first. */

import { hasEnded, isNotErased } from '#lib/event-store';

/** `received_at` selects the one partition with the payload; the LIMIT keeps the planner from asking all of them. */
export const itsPayload = `
  LATERAL (
    SELECT content_type, content_encoding, body, request
      FROM event_payloads
     WHERE tenant = e.tenant AND event_id = e.id AND received_at = e.received_at
     LIMIT 1)`;

const payloadOfRow = `events e CROSS JOIN ${itsPayload} AS p WHERE e.tenant = w.tenant AND e.id = w.event_id`;

export const hasPayload = `(SELECT true FROM ${payloadOfRow})`;

/** Null where its event, or the payload, is not in the tables. */
export const payloadBytesOfRow = `(SELECT octet_length(p.body) FROM ${payloadOfRow})`;

/** The tables know that its delivery has ended, or that its event was erased. */
export const hasRowEnded = `((
  SELECT ${hasEnded('d.status')} FROM deliveries d
   WHERE d.tenant = w.tenant AND d.id = w.delivery_id) IS TRUE OR NOT ${isNotErased('w.tenant', 'w.event_id')})`;

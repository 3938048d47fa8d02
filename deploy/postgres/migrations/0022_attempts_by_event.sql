-- Up Migration, outside a transaction

-- The event of an attempt, by which erasure finds it: an attempt is written ahead of its delivery, whose row the erasure may keep from coming.
-- Null in rows of projectors from before.
ALTER TABLE attempts ADD COLUMN IF NOT EXISTS event_id text;

CREATE INDEX CONCURRENTLY IF NOT EXISTS attempts_by_event ON attempts (tenant, event_id) WHERE event_id IS NOT NULL;

-- What erasures have left behind so far: without a delivery, the request alone tells the event.
WITH left_behind AS MATERIALIZED (
  SELECT a.tenant, a.delivery_id, a.step, a.delivery_at, a.request->'headers'->>'webhook-id' AS event_id
    FROM attempts a
   WHERE a.tenant IN (SELECT x.tenant FROM erased x WHERE x.id <> '')
     AND NOT EXISTS (SELECT FROM deliveries d WHERE d.tenant = a.tenant AND d.id = a.delivery_id)
)
DELETE FROM attempts a
 USING left_behind l, erased x
 WHERE x.tenant = l.tenant AND x.id = l.event_id
   AND a.tenant = l.tenant AND a.delivery_id = l.delivery_id AND a.step = l.step AND a.delivery_at = l.delivery_at;

-- Down Migration

ALTER TABLE attempts DROP COLUMN event_id;

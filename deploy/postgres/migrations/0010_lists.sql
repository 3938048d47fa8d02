-- Up Migration, outside a transaction

-- For the lists of events and deliveries, newest first: services/api/resources. What every event and every delivery costs stays as it is:
-- one index takes the place of another, and the others have only rows that something has happened to.

-- The result of the last attempt; null: nothing was sent yet, or the last attempt was before these columns were.
ALTER TABLE deliveries ADD COLUMN IF NOT EXISTS last_outcome text;
ALTER TABLE deliveries ADD COLUMN IF NOT EXISTS last_http_status integer;
ALTER TABLE deliveries ADD COLUMN IF NOT EXISTS last_detail text;

-- In the place of deliveries_by_endpoint, which nothing was read by.
CREATE INDEX CONCURRENTLY IF NOT EXISTS deliveries_by_endpoint_and_status ON deliveries (tenant, endpoint_id, status, id);
DROP INDEX CONCURRENTLY IF EXISTS deliveries_by_endpoint;
CREATE INDEX CONCURRENTLY IF NOT EXISTS deliveries_by_status ON deliveries (tenant, status, id)
 WHERE status IN ('retrying', 'parked', 'dead_lettered', 'cancelled');
CREATE INDEX CONCURRENTLY IF NOT EXISTS deliveries_by_last_outcome ON deliveries (tenant, last_outcome, id)
 WHERE last_outcome <> 'delivered';
CREATE INDEX CONCURRENTLY IF NOT EXISTS deliveries_by_last_http_status ON deliveries (tenant, last_http_status, id)
 WHERE last_http_status <> 200;

CREATE INDEX CONCURRENTLY IF NOT EXISTS events_by_ordering_key ON events (tenant, ordering_key, id) WHERE ordering_key IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS events_with_duplicates ON events (tenant, id) WHERE duplicates > 0;
CREATE INDEX CONCURRENTLY IF NOT EXISTS events_with_changed_duplicates ON events (tenant, id) WHERE duplicates_changed > 0;
CREATE INDEX CONCURRENTLY IF NOT EXISTS events_with_dead_letters ON events (tenant, id) WHERE dead_lettered > 0;
-- Only traces that are recorded somewhere: nobody looks for others.
CREATE INDEX CONCURRENTLY IF NOT EXISTS events_by_sampled_trace ON events (tenant, substr(traceparent, 4, 32), id)
 WHERE right(traceparent, 1) IN ('1', '3', '5', '7', '9', 'b', 'd', 'f');

-- Down Migration

DROP INDEX events_by_sampled_trace, events_with_dead_letters, events_with_changed_duplicates, events_with_duplicates, events_by_ordering_key,
  deliveries_by_last_http_status, deliveries_by_last_outcome, deliveries_by_status, deliveries_by_endpoint_and_status;
CREATE INDEX deliveries_by_endpoint ON deliveries (tenant, endpoint_id, updated_at);
ALTER TABLE deliveries DROP COLUMN last_outcome, DROP COLUMN last_http_status, DROP COLUMN last_detail;

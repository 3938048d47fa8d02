-- Up Migration

-- Endpoints that got an event which their filter had not judged: the last time, to the minute. See libs/event-filter. Apart from the
-- endpoint's row, each change of which is read by every dispatcher.
CREATE TABLE unjudged_filters (
  tenant             text        NOT NULL,
  endpoint_id        text        NOT NULL,
  -- payload, filter_steps, event_steps.
  reason             text        NOT NULL,
  at                 timestamptz NOT NULL,
  PRIMARY KEY (tenant, endpoint_id)
);

-- When a replay may go on that waits for its rate; null: at once. See libs/replay-store.
ALTER TABLE replays ADD COLUMN turn_at timestamptz;

-- Replays that are under way, tenant by tenant: those of one item apart from the others, of which a tenant has one at a time.
DROP INDEX replays_running;
CREATE INDEX replays_running ON replays (tenant, created_at, id) WHERE status = 'running' AND matched > 1;
CREATE INDEX replays_running_single ON replays (tenant, created_at, id) WHERE status = 'running' AND matched <= 1;

-- Down Migration

DROP INDEX replays_running_single;
DROP INDEX replays_running;
CREATE INDEX replays_running ON replays (created_at) WHERE status = 'running';
ALTER TABLE replays DROP COLUMN turn_at;
DROP TABLE unjudged_filters;

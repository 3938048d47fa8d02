-- Up Migration, outside a transaction

-- Replays by filter: replays of events, retries and cancels of deliveries, whose items are chosen in pages while they are worked off. See
-- libs/replay-store.
ALTER TABLE replays
  -- Null: its items came with it.
  ADD COLUMN IF NOT EXISTS operation       text,
  -- The selection: the filter with its values, the endpoint, the instant of the dry run, the limit.
  ADD COLUMN IF NOT EXISTS selection       jsonb,
  -- open: there may be more to choose. Or done, or cancelled.
  ADD COLUMN IF NOT EXISTS choosing        text,
  -- Up to where items have been chosen.
  ADD COLUMN IF NOT EXISTS chosen_to       jsonb,
  ADD COLUMN IF NOT EXISTS chosen          integer NOT NULL DEFAULT 0,
  -- Items that the dry run had counted and that were not taken: they match no longer, or another replay has them.
  ADD COLUMN IF NOT EXISTS left_out        integer NOT NULL DEFAULT 0,
  -- Until when a process of the API chooses.
  ADD COLUMN IF NOT EXISTS choosing_until  timestamptz,
  -- As turn_at, which is infinite for these: a dispatcher from before them leases none, and sends nothing that is to be cancelled.
  ADD COLUMN IF NOT EXISTS next_turn_at    timestamptz;
CREATE INDEX CONCURRENTLY IF NOT EXISTS replays_to_choose ON replays (choosing_until) WHERE status = 'running' AND choosing = 'open';

-- However few items it has, a replay by filter waits for those of its tenant before it.
CREATE INDEX CONCURRENTLY IF NOT EXISTS replays_in_bulk ON replays (tenant, created_at, id)
 WHERE status = 'running' AND (matched > 1 OR operation IS NOT NULL);
CREATE INDEX CONCURRENTLY IF NOT EXISTS replays_of_one ON replays (tenant, created_at, id)
 WHERE status = 'running' AND matched <= 1 AND operation IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS replays_running;
DROP INDEX CONCURRENTLY IF EXISTS replays_running_single;

-- The delivery that an item makes due or cancels: nothing is sent again.
ALTER TABLE replay_items ADD COLUMN IF NOT EXISTS delivery_id text;
-- A pair that one replay has is not taken by another.
CREATE INDEX CONCURRENTLY IF NOT EXISTS replay_items_by_pair ON replay_items (tenant, event_id, endpoint_id) WHERE event_id IS NOT NULL;
-- The few that somebody looks for among millions.
CREATE INDEX CONCURRENTLY IF NOT EXISTS replay_items_failed ON replay_items (tenant, replay_id, item) WHERE status = 'failed';
CREATE INDEX CONCURRENTLY IF NOT EXISTS replay_items_left_out ON replay_items (tenant, replay_id, item) WHERE status = 'left_out';
CREATE INDEX CONCURRENTLY IF NOT EXISTS replay_items_cancelled ON replay_items (tenant, replay_id, item) WHERE status = 'cancelled';

-- Down Migration

DELETE FROM replay_items i USING replays r WHERE r.tenant = i.tenant AND r.id = i.replay_id AND r.operation IS NOT NULL;
DELETE FROM replays WHERE operation IS NOT NULL;
DROP INDEX replay_items_cancelled, replay_items_left_out, replay_items_failed, replay_items_by_pair, replays_of_one, replays_in_bulk;
ALTER TABLE replay_items DROP COLUMN delivery_id;
CREATE INDEX replays_running_single ON replays (tenant, created_at, id) WHERE status = 'running' AND matched <= 1;
CREATE INDEX replays_running ON replays (tenant, created_at, id) WHERE status = 'running' AND matched > 1;
ALTER TABLE replays
  DROP COLUMN operation, DROP COLUMN selection, DROP COLUMN choosing, DROP COLUMN chosen_to, DROP COLUMN chosen, DROP COLUMN left_out,
  DROP COLUMN choosing_until, DROP COLUMN next_turn_at;

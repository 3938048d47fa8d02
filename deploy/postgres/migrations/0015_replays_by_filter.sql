-- Up Migration

-- Replays by filter: replays of events, retries and cancels of deliveries, whose items are chosen in pages while they are worked off. See
-- libs/replay-store.
ALTER TABLE replays
  -- Null: its items came with it.
  ADD COLUMN operation       text,
  -- What is chosen: the filter with its values, the endpoint, the instant of the dry run, the limit.
  ADD COLUMN selection       jsonb,
  -- open: there may be more to choose; done; cancelled.
  ADD COLUMN choosing        text,
  -- Up to where items have been chosen.
  ADD COLUMN chosen_to       jsonb,
  ADD COLUMN chosen          integer NOT NULL DEFAULT 0,
  -- What the dry run had counted, and was not taken: it matches no longer, or another replay has it.
  ADD COLUMN left_out        integer NOT NULL DEFAULT 0,
  -- Until when a process of the API chooses.
  ADD COLUMN choosing_until  timestamptz,
  -- As turn_at, which is infinite for these: a dispatcher from before them leases none, and sends nothing that is to be cancelled.
  ADD COLUMN next_turn_at    timestamptz;
CREATE INDEX replays_to_choose ON replays (choosing_until) WHERE status = 'running' AND choosing = 'open';

-- However few items it has, a replay by filter waits for those of its tenant before it.
DROP INDEX replays_running;
CREATE INDEX replays_running ON replays (tenant, created_at, id) WHERE status = 'running' AND (matched > 1 OR operation IS NOT NULL);
DROP INDEX replays_running_single;
CREATE INDEX replays_running_single ON replays (tenant, created_at, id) WHERE status = 'running' AND matched <= 1 AND operation IS NULL;

-- Of an item that makes a delivery due, or cancels it: nothing is sent again.
ALTER TABLE replay_items ADD COLUMN delivery_id text;

-- Down Migration

ALTER TABLE replay_items DROP COLUMN delivery_id;
DELETE FROM replay_items i USING replays r WHERE r.tenant = i.tenant AND r.id = i.replay_id AND r.operation IS NOT NULL;
DELETE FROM replays WHERE operation IS NOT NULL;
DROP INDEX replays_running_single;
CREATE INDEX replays_running_single ON replays (tenant, created_at, id) WHERE status = 'running' AND matched <= 1;
DROP INDEX replays_running;
CREATE INDEX replays_running ON replays (tenant, created_at, id) WHERE status = 'running' AND matched > 1;
ALTER TABLE replays
  DROP COLUMN operation, DROP COLUMN selection, DROP COLUMN choosing, DROP COLUMN chosen_to, DROP COLUMN chosen, DROP COLUMN left_out,
  DROP COLUMN choosing_until, DROP COLUMN next_turn_at;

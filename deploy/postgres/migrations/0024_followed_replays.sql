-- Up Migration, outside a transaction

-- What became of what a replay has sent, counted by libs/replay-store/follow-replays.ts. Null in sent_at: from before this, or not yet sent.
ALTER TABLE replays
  ADD COLUMN IF NOT EXISTS sent_at          timestamptz,
  -- Deliveries that it has sent, made due or asked to be cancelled, and those of them that have ended.
  ADD COLUMN IF NOT EXISTS followed         integer NOT NULL DEFAULT 0,
  ADD COLUMN IF NOT EXISTS delivered        integer NOT NULL DEFAULT 0,
  ADD COLUMN IF NOT EXISTS dead_lettered    integer NOT NULL DEFAULT 0,
  ADD COLUMN IF NOT EXISTS cancelled        integer NOT NULL DEFAULT 0,
  -- When to look at its open deliveries again; null: none is open.
  ADD COLUMN IF NOT EXISTS look_at          timestamptz,
  -- Up to which item the last look came; 0: to the end.
  ADD COLUMN IF NOT EXISTS looked_to        integer NOT NULL DEFAULT 0;
CREATE INDEX CONCURRENTLY IF NOT EXISTS replays_to_look_at ON replays (look_at) WHERE look_at IS NOT NULL;

-- waiting, delivered, dead_lettered, cancelled: of an item that has a delivery, once it is sent.
ALTER TABLE replay_items ADD COLUMN IF NOT EXISTS outcome text;
CREATE INDEX CONCURRENTLY IF NOT EXISTS replay_items_followed ON replay_items (tenant, replay_id, item) WHERE outcome = 'waiting';
-- The few that somebody looks for among millions.
CREATE INDEX CONCURRENTLY IF NOT EXISTS replay_items_dead ON replay_items (tenant, replay_id, item) WHERE outcome = 'dead_lettered';
CREATE INDEX CONCURRENTLY IF NOT EXISTS replay_items_ended ON replay_items (tenant, replay_id, item) WHERE outcome = 'cancelled';

-- When somebody last asked for a probe of an endpoint whose circuit breaker is open. See services/dispatcher/endpoints.
ALTER TABLE endpoints ADD COLUMN IF NOT EXISTS probe_asked_at timestamptz;

-- Down Migration

UPDATE replays SET status = CASE WHEN capped THEN 'partial' ELSE 'completed' END, ended_at = sent_at WHERE status = 'sent';
DROP INDEX replay_items_ended, replay_items_dead, replay_items_followed, replays_to_look_at;
ALTER TABLE endpoints DROP COLUMN probe_asked_at;
ALTER TABLE replay_items DROP COLUMN outcome;
ALTER TABLE replays
  DROP COLUMN sent_at, DROP COLUMN followed, DROP COLUMN delivered, DROP COLUMN dead_lettered, DROP COLUMN cancelled, DROP COLUMN look_at,
  DROP COLUMN looked_to;

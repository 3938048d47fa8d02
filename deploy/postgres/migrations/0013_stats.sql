-- Up Migration

-- Counts of what happened, by the minute in which it happened. Whoever writes events and deliveries counts them in the same transaction,
-- which has the tenant's clock: libs/event-store/add-stats.ts. Retention moves minutes into hours, and hours into days, so that each thing
-- is counted in one row of each dimension.
CREATE TABLE stats (
  tenant             text        NOT NULL,
  -- source, endpoint, type, outcome; the rows of the ingress, which has no clock, apart: source/rejected, outcome/rejected.
  dimension          text        NOT NULL,
  -- minute, hour, day.
  step               text        NOT NULL,
  key                text        NOT NULL,
  -- The beginning of the step.
  at                 timestamptz NOT NULL,
  received           bigint      NOT NULL DEFAULT 0,
  duplicates         bigint      NOT NULL DEFAULT 0,
  rejected           bigint      NOT NULL DEFAULT 0,
  delivered          bigint      NOT NULL DEFAULT 0,
  failed             bigint      NOT NULL DEFAULT 0,
  dead_lettered      bigint      NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant, dimension, step, key, at)
) WITH (fillfactor = 50);

-- Retention finds by it the rows that are due to be moved.
CREATE INDEX stats_by_age ON stats (step, at);

-- One row: since when everything is counted. What was there before has no counts.
CREATE TABLE stats_since (
  one                boolean     PRIMARY KEY DEFAULT true CHECK (one),
  at                 timestamptz NOT NULL
);

-- The event types that have rows of their own on a day (UTC); the others are counted as one.
CREATE TABLE stat_types (
  tenant             text        NOT NULL,
  day                date        NOT NULL,
  type               text        NOT NULL,
  PRIMARY KEY (tenant, day, type)
);

-- Counts of deliveries whose event is not in the tables yet: its source and type are not known. They are counted with the event.
CREATE TABLE early_stats (
  tenant             text        NOT NULL,
  event_id           text        NOT NULL,
  n                  bigint      NOT NULL GENERATED ALWAYS AS IDENTITY,
  endpoint_id        text        NOT NULL,
  outcome            text        NOT NULL,
  at                 timestamptz NOT NULL,
  delivered          integer     NOT NULL,
  failed             integer     NOT NULL,
  dead_lettered      integer     NOT NULL,
  PRIMARY KEY (tenant, event_id, n)
);

-- A paused endpoint gets nothing: its deliveries wait, and their deadlines move by the time of the pause. `pauses` is a list of {from, until},
-- the oldest first, of those that can matter to a delivery; `paused_until` is the end of the last one. Neither is a change of the settings:
-- the revision stays.
ALTER TABLE endpoints ADD COLUMN pauses jsonb NOT NULL DEFAULT '[]';
ALTER TABLE endpoints ADD COLUMN paused_until timestamptz;

-- The circuit breakers that are not closed, as the owners of their endpoints last told. Apart from the endpoint's row, each change of which
-- is read by every dispatcher.
CREATE TABLE endpoint_breakers (
  tenant             text        NOT NULL,
  endpoint_id        text        NOT NULL,
  -- open, half_open.
  state              text        NOT NULL,
  since              timestamptz NOT NULL,
  -- It is told again while the endpoint is sent to; without that nobody knows it any more.
  observed_at        timestamptz NOT NULL,
  PRIMARY KEY (tenant, endpoint_id)
);

-- One row for each running service, written every few seconds.
CREATE TABLE processes (
  instance           text        NOT NULL,
  service            text        NOT NULL,
  host               text        NOT NULL,
  pid                integer     NOT NULL,
  version            text        NOT NULL,
  started_at         timestamptz NOT NULL,
  beat_at            timestamptz NOT NULL,
  ready              boolean     NOT NULL,
  -- {dependency: up}
  dependencies       jsonb       NOT NULL,
  -- List of {group, topic, partitions, records, seconds}
  lag                jsonb       NOT NULL,
  PRIMARY KEY (instance)
);

-- Down Migration

DROP TABLE processes, endpoint_breakers, early_stats, stat_types, stats_since, stats;
ALTER TABLE endpoints DROP COLUMN pauses, DROP COLUMN paused_until;

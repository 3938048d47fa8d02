-- Up Migration

-- Chunks of sets that are not whole yet: of each try, those that have come. They go when one try is whole, and `fan_outs` has the set then.
CREATE TABLE fan_out_chunks (
  tenant             text        NOT NULL,
  event_id           text        NOT NULL,
  generation         integer     NOT NULL,
  try                text        NOT NULL,
  chunk              integer     NOT NULL,
  -- How many the try has.
  chunks             integer     NOT NULL,
  PRIMARY KEY (tenant, event_id, generation, try, chunk)
);

-- Whether pending, retrying, delivered, dead_lettered and cancelled are moved by what changes. Until then they say nothing, or what a
-- projector of the version before has counted: they are counted from the deliveries once, when the event changes and its first set is known.
ALTER TABLE events ADD COLUMN counted boolean NOT NULL DEFAULT false;

-- The newest delivery of an event to one endpoint is looked up with each that changes, however many endpoints the event has.
CREATE INDEX deliveries_by_event_and_endpoint ON deliveries (tenant, event_id, endpoint_id, generation);
DROP INDEX deliveries_by_event;

-- Down Migration

CREATE INDEX deliveries_by_event ON deliveries (tenant, event_id, generation);
DROP INDEX deliveries_by_event_and_endpoint;
ALTER TABLE events DROP COLUMN counted;
DROP TABLE fan_out_chunks;

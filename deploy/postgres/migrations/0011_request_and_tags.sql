-- Up Migration

-- The request that a webhook came with, as libs/contract/webhook-request.ts has it; null where the event did not come by HTTP, and of all
-- from before. Only ever read whole.
ALTER TABLE event_payloads ADD COLUMN request json;

-- The event's tags by name; null where it has none.
ALTER TABLE events ADD COLUMN tags jsonb;

-- The same, to find events by: `name:value`. In a table of its own, an update of its event writes no entry anew. Written and removed with
-- the event.
CREATE TABLE event_tags (
  tenant             text        NOT NULL,
  tag                text        NOT NULL,
  event_id           text        NOT NULL,
  PRIMARY KEY (tenant, tag, event_id)
);

-- Down Migration

DROP TABLE event_tags;
ALTER TABLE events DROP COLUMN tags;
ALTER TABLE event_payloads DROP COLUMN request;

-- Up Migration

-- What the sender says its body is encoded by: it is kept, read and sent so encoded. Null where there is none, and of all from before.
ALTER TABLE event_payloads ADD COLUMN content_encoding text;

-- Down Migration

ALTER TABLE event_payloads DROP COLUMN content_encoding;

-- Up Migration

-- From where a duplicate came; null where that is not known: of all from before, and of an event's own receipt, whose request tells it
-- (event_payloads.request).
ALTER TABLE receipts ADD COLUMN client_address text;

-- Down Migration

ALTER TABLE receipts DROP COLUMN client_address;

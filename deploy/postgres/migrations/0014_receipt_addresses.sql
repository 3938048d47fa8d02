-- Up Migration

-- The address that a duplicate came from; null where it is not known: in all from before, and in an event's own receipt, whose request tells it
-- (event_payloads.request).
ALTER TABLE receipts ADD COLUMN client_address text;

-- Down Migration

ALTER TABLE receipts DROP COLUMN client_address;

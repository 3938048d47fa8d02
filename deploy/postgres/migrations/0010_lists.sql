-- Up Migration

-- What the last attempt came to; null: nothing was sent yet, or the last attempt was before these columns were.
ALTER TABLE deliveries ADD COLUMN last_outcome text;
ALTER TABLE deliveries ADD COLUMN last_http_status integer;
ALTER TABLE deliveries ADD COLUMN last_detail text;

-- Down Migration

ALTER TABLE deliveries DROP COLUMN last_outcome, DROP COLUMN last_http_status, DROP COLUMN last_detail;

-- Up Migration

-- A dead letter that Kafka has refused, shortened too, is written here by whoever has given its record up, whole: it stands on no topic.
ALTER TABLE dead_letters ALTER COLUMN letter_partition DROP NOT NULL;
ALTER TABLE dead_letters ALTER COLUMN letter_offset DROP NOT NULL;
-- Of such a letter, if it is a delivery: the bytes, which any other delivery has as its event's payload.
ALTER TABLE dead_letters ADD COLUMN kept_value bytea;
-- Of a letter that was shortened on its topic: what its value was. Null: it is whole.
ALTER TABLE dead_letters ADD COLUMN original_bytes bigint;
ALTER TABLE dead_letters ADD COLUMN original_sha256 bytea;

-- Down Migration

DELETE FROM dead_letters WHERE letter_partition IS NULL OR letter_offset IS NULL;
ALTER TABLE dead_letters DROP COLUMN kept_value, DROP COLUMN original_bytes, DROP COLUMN original_sha256;
ALTER TABLE dead_letters ALTER COLUMN letter_partition SET NOT NULL;
ALTER TABLE dead_letters ALTER COLUMN letter_offset SET NOT NULL;

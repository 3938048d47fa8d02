-- Up Migration, outside a transaction

-- When a temporary endpoint is deleted; null, as of nearly all endpoints: never.
ALTER TABLE endpoints ADD COLUMN IF NOT EXISTS expires_at timestamptz;
-- Every API process looks for expired ones every two seconds.
CREATE INDEX CONCURRENTLY IF NOT EXISTS endpoints_expiring ON endpoints (expires_at)
 WHERE expires_at IS NOT NULL AND deleted_at IS NULL;

-- Down Migration

DROP INDEX endpoints_expiring;
ALTER TABLE endpoints DROP COLUMN expires_at;

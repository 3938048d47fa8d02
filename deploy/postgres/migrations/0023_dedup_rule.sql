-- Up Migration

-- How the default identifier of a source counts: `dedupRules` of libs/contract. Sources from before, and those that an older api creates, keep
-- the rule of older versions.
ALTER TABLE sources ADD COLUMN dedup_rule smallint NOT NULL DEFAULT 1;

-- Down Migration

ALTER TABLE sources DROP COLUMN dedup_rule;

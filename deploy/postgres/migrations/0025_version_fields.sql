-- Up Migration

-- The fields that a version's schema describes, as pages show them: a list of {path, type, required, description}, at most 500. They are found once, when
-- the version is published; null: it is from before this, and services/api/event-types/describe-old-versions.ts will come to it.
ALTER TABLE event_type_versions
  ADD COLUMN fields            json,
  ADD COLUMN fields_truncated  boolean NOT NULL DEFAULT false;
CREATE INDEX event_type_versions_undescribed ON event_type_versions (tenant, type_id, version) WHERE fields IS NULL;

-- Down Migration

DROP INDEX event_type_versions_undescribed;
ALTER TABLE event_type_versions DROP COLUMN fields, DROP COLUMN fields_truncated;

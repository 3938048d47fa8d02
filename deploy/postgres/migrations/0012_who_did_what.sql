-- Up Migration

-- Changes of a tenant's configuration and data, each written in the transaction of its change: services/api/audit. Kept for 400 days by the
-- projector's retention.
CREATE TABLE audit (
  tenant             text        NOT NULL,
  id                 text        NOT NULL,
  -- The time of the id.
  at                 timestamptz NOT NULL,
  -- The API key, or `admin` for the operator's.
  credential         text        NOT NULL,
  -- The session that acted for it.
  session_id         text,
  -- Such as endpoint.update.
  action             text        NOT NULL,
  resource_id        text        NOT NULL,
  -- The fields that changed, secrets concealed; null before a creation and after a deletion.
  before             jsonb,
  after              jsonb,
  request_id         text        NOT NULL,
  PRIMARY KEY (tenant, id)
);
-- Entries are listed newest first, whatever the filter.
CREATE INDEX audit_by_time ON audit (tenant, at, id);
CREATE INDEX audit_by_credential ON audit (tenant, credential, at, id);
CREATE INDEX audit_by_session ON audit (tenant, session_id, at, id) WHERE session_id IS NOT NULL;
CREATE INDEX audit_by_action ON audit (tenant, action, at, id);
CREATE INDEX audit_by_resource ON audit (tenant, resource_id, at, id);
-- For the retention.
CREATE INDEX audit_by_age ON audit (at, tenant, id);

-- Down Migration

DROP TABLE audit;

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

-- Tokens made from a key, for people and for programs that should not hold the key: services/api/keys/session-directory.ts. Followed by the
-- api as api_keys is (0003).
CREATE TABLE sessions (
  -- `*`: all, for a session of the operator.
  tenant             text        NOT NULL,
  id                 text        NOT NULL,
  -- The API key that it was made from, or `admin`, and then a fingerprint of the operator's key.
  key_id             text        NOT NULL,
  operator_key       text,
  scopes             text[]      NOT NULL,
  -- SHA-256 of the token, which is nowhere else; null until the code is redeemed.
  hash               bytea,
  -- SHA-256 of the code; null without one, and once it is redeemed.
  code_hash          bytea,
  code_expires_at    timestamptz,
  created_at         timestamptz NOT NULL,
  expires_at         timestamptz NOT NULL,
  -- Moved by uses, each session's once a minute.
  idle_expires_at    timestamptz NOT NULL,
  deleted_at         timestamptz,
  changed_at         timestamptz NOT NULL,
  changed_in         xid8        NOT NULL DEFAULT pg_current_xact_id(),
  -- No session is: the retention removes it a day after its end.
  buried             boolean     NOT NULL DEFAULT false,
  PRIMARY KEY (tenant, id),
  -- A token names its row by the id alone: the row tells the tenant.
  UNIQUE (id),
  CHECK ((key_id = 'admin') = (operator_key IS NOT NULL))
);
CREATE INDEX sessions_changed_in ON sessions (changed_in);
CREATE INDEX sessions_open ON sessions (tenant, id) WHERE deleted_at IS NULL;
CREATE INDEX sessions_by_code_end ON sessions (tenant, code_expires_at) WHERE hash IS NULL;
CREATE INDEX sessions_by_end ON sessions (expires_at, tenant, id);
CREATE TRIGGER a_mark_change BEFORE UPDATE ON sessions FOR EACH ROW EXECUTE FUNCTION mark_change();

-- Settings that the operator gives a tenant; no row means the same as an empty row. The api follows it as it does api_keys (0003).
CREATE TABLE tenants (
  tenant             text        NOT NULL,
  -- The same again: followed tables are read by (tenant, id).
  id                 text        NOT NULL GENERATED ALWAYS AS (tenant) STORED,
  name               text        NOT NULL,
  -- By the names of libs/tenancy/limit-table.ts: each overrides the settings.
  limits             jsonb       NOT NULL DEFAULT '{}',
  created_at         timestamptz NOT NULL DEFAULT clock_timestamp(),
  changed_at         timestamptz NOT NULL DEFAULT clock_timestamp(),
  changed_in         xid8        NOT NULL DEFAULT pg_current_xact_id(),
  -- No tenant is.
  buried             boolean     NOT NULL DEFAULT false,
  PRIMARY KEY (tenant)
);
CREATE INDEX tenants_by_id ON tenants (tenant, id);
CREATE INDEX tenants_changed_in ON tenants (changed_in);
CREATE TRIGGER a_mark_change BEFORE UPDATE ON tenants FOR EACH ROW EXECUTE FUNCTION mark_change();

-- Down Migration

DROP TABLE audit, sessions, tenants;

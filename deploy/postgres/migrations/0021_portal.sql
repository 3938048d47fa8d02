-- Up Migration

-- Links that an operator gives a customer, each redeemed once for a session: services/api/resources/portal-link.ts. Redeemed, revoked and
-- ended ones stay for 30 days, so that their holder is told that they are gone.
CREATE TABLE portal_links (
  tenant             text        NOT NULL,
  id                 text        NOT NULL,
  -- The API key that it was made with, or `admin`, and then a fingerprint of the operator's key.
  key_id             text        NOT NULL,
  operator_key       text,
  capabilities       text[]      NOT NULL,
  return_url         text,
  accent             text,
  -- SHA-256 of the code, which is nowhere else.
  code_hash          bytea       NOT NULL,
  -- Of its redemption.
  session_id         text,
  redeemed_at        timestamptz,
  created_at         timestamptz NOT NULL,
  expires_at         timestamptz NOT NULL,
  deleted_at         timestamptz,
  PRIMARY KEY (tenant, id),
  -- A code names its row by the id alone: the row tells the tenant.
  UNIQUE (id),
  CHECK ((key_id = 'admin') = (operator_key IS NOT NULL)),
  CHECK ((session_id IS NULL) = (redeemed_at IS NULL))
);
CREATE INDEX portal_links_open ON portal_links (tenant, id) WHERE deleted_at IS NULL AND redeemed_at IS NULL;
CREATE INDEX portal_links_by_end ON portal_links (expires_at, tenant, id);

-- Link, capabilities and looks of a customer's session; null for all others.
ALTER TABLE sessions ADD COLUMN portal jsonb;

-- A portal session chose the URL: it is judged without the networks and the plain http that the operator allows.
ALTER TABLE endpoints ADD COLUMN url_by_portal boolean NOT NULL DEFAULT false;

-- Down Migration

ALTER TABLE endpoints DROP COLUMN url_by_portal;
-- Without their capabilities they would be sessions without any scope.
DELETE FROM sessions WHERE portal IS NOT NULL;
ALTER TABLE sessions DROP COLUMN portal;
DROP TABLE portal_links;

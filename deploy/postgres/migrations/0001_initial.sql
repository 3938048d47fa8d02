-- Up Migration

-- Every table carries its tenant, first in every key. Who writes what: api → sources, endpoints; ingress → rejections; dedup → dedup_keys;
-- projector → events, event_payloads, receipts, deliveries, attempts, dead_letters, and (with the dispatcher, which removes) waiting.

CREATE TABLE sources (
  tenant             text        NOT NULL,
  id                 text        NOT NULL,
  name               text        NOT NULL,
  scheme             text        NOT NULL,
  -- What `scheme` and the checks need beyond the columns here: signature_header, timestamp_tolerance_seconds, …
  settings           jsonb       NOT NULL DEFAULT '{}',
  -- Sealed JSON list of {secret, expires_at?}: during a rotation there are two.
  secrets            bytea       NOT NULL,
  created_at         timestamptz NOT NULL DEFAULT clock_timestamp(),
  changed_at         timestamptz NOT NULL DEFAULT clock_timestamp(),
  deleted_at         timestamptz,
  PRIMARY KEY (tenant, id),
  -- A webhook's URL names the source alone: the source tells the tenant.
  UNIQUE (id)
);
CREATE INDEX sources_changed ON sources (changed_at);

-- The last webhooks of each source that were refused, for whoever looks why. Written by the ingress, a few per source, and swept.
CREATE TABLE rejections (
  tenant             text        NOT NULL,
  source_id          text        NOT NULL,
  id                 text        NOT NULL,
  at                 timestamptz NOT NULL,
  code               text        NOT NULL,
  client_address     text        NOT NULL,
  -- By lower-case name; what may be a secret is replaced.
  headers            jsonb       NOT NULL,
  -- As far as it was read or announced; null where neither.
  body_bytes         bigint,
  -- Only where the source says so, and only its beginning.
  body               bytea,
  PRIMARY KEY (tenant, source_id, id)
);
CREATE INDEX rejections_by_time ON rejections (at);

CREATE TABLE endpoints (
  tenant             text        NOT NULL,
  id                 text        NOT NULL,
  url                text        NOT NULL,
  description        text        NOT NULL DEFAULT '',
  -- Empty: all.
  event_types        text[]      NOT NULL DEFAULT '{}',
  source_ids         text[]      NOT NULL DEFAULT '{}',
  settings           jsonb       NOT NULL DEFAULT '{}',
  secrets            bytea       NOT NULL,
  -- Counts changes by people; a 410 disables only the revision that it saw.
  revision           integer     NOT NULL DEFAULT 1,
  created_at         timestamptz NOT NULL DEFAULT clock_timestamp(),
  changed_at         timestamptz NOT NULL DEFAULT clock_timestamp(),
  disabled_at        timestamptz,
  disabled_reason    text,
  deleted_at         timestamptz,
  PRIMARY KEY (tenant, id)
);
CREATE INDEX endpoints_changed ON endpoints (changed_at);

-- The row that decides whether a webhook is the first of its key. The origin is that of the record that owns the key now.
CREATE TABLE dedup_keys (
  tenant             text        NOT NULL,
  key                bytea       NOT NULL,
  origin             text        NOT NULL,
  event_id           text        NOT NULL,
  body_hash          bytea       NOT NULL,
  generation         integer     NOT NULL DEFAULT 0,
  completed_at       timestamptz,
  expires_at         timestamptz,
  PRIMARY KEY (tenant, key)
);
CREATE INDEX dedup_keys_expiry ON dedup_keys (expires_at) WHERE expires_at IS NOT NULL;

-- The last updated_at given out to each tenant; its row lock makes the order of updated_at the order of commits.
CREATE TABLE tenant_clocks (
  tenant             text        PRIMARY KEY,
  last_at            timestamptz NOT NULL
);

CREATE TABLE events (
  tenant             text        NOT NULL,
  id                 text        NOT NULL,
  source_id          text        NOT NULL,
  event_id           text,
  type               text        NOT NULL,
  receipt_id         text        NOT NULL,
  origin             text        NOT NULL,
  dedup_key          bytea       NOT NULL,
  status             text        NOT NULL DEFAULT 'received',
  received_at        timestamptz NOT NULL,
  updated_at         timestamptz NOT NULL,
  duplicates         integer     NOT NULL DEFAULT 0,
  -- The newest generation whose set of deliveries is known; null before the first.
  generation         integer,
  -- Deliveries by status, of each endpoint the newest; what is parked counts as pending.
  pending            integer     NOT NULL DEFAULT 0,
  retrying           integer     NOT NULL DEFAULT 0,
  delivered          integer     NOT NULL DEFAULT 0,
  dead_lettered      integer     NOT NULL DEFAULT 0,
  cancelled          integer     NOT NULL DEFAULT 0,
  ordering_key       text,
  traceparent        text        NOT NULL DEFAULT '',
  PRIMARY KEY (tenant, id),
  UNIQUE (tenant, updated_at)
);

CREATE TABLE event_payloads (
  tenant             text        NOT NULL,
  event_id           text        NOT NULL,
  received_at        timestamptz NOT NULL,
  content_type       text        NOT NULL,
  body               bytea       NOT NULL,
  PRIMARY KEY (tenant, event_id)
);

-- A fan-out's set may be known before the event itself is: the two come by different topics.
CREATE TABLE fan_outs (
  tenant             text        NOT NULL,
  event_id           text        NOT NULL,
  generation         integer     NOT NULL,
  PRIMARY KEY (tenant, event_id, generation)
);

-- Which event a receipt belongs to: the event's own, and one for each duplicate. A duplicate may come before its event; it is then
-- found again by the key, and by the event that dedup took it for.
CREATE TABLE receipts (
  tenant             text        NOT NULL,
  origin             text        NOT NULL,
  receipt_id         text        NOT NULL,
  event_id           text        NOT NULL,
  duplicate          boolean     NOT NULL,
  changed            boolean     NOT NULL DEFAULT false,
  -- Null on the event's own receipt.
  hinted_event_id    text,
  dedup_key          bytea,
  received_at        timestamptz NOT NULL,
  PRIMARY KEY (tenant, origin)
);
CREATE INDEX receipts_by_id ON receipts (tenant, receipt_id);
CREATE INDEX receipts_by_event ON receipts (tenant, event_id);
CREATE INDEX receipts_of_duplicates_by_key ON receipts (tenant, dedup_key) WHERE duplicate;

CREATE TABLE deliveries (
  tenant             text        NOT NULL,
  id                 text        NOT NULL,
  event_id           text        NOT NULL,
  endpoint_id        text        NOT NULL,
  generation         integer     NOT NULL,
  status             text        NOT NULL DEFAULT 'pending',
  -- The highest step seen; 0 for a delivery that is known from its set alone.
  step               integer     NOT NULL DEFAULT 0,
  attempts           integer     NOT NULL DEFAULT 0,
  created_at         timestamptz NOT NULL,
  updated_at         timestamptz NOT NULL,
  next_attempt_at    timestamptz,
  detail             text,
  PRIMARY KEY (tenant, id)
);
CREATE INDEX deliveries_by_event ON deliveries (tenant, event_id, generation);
CREATE INDEX deliveries_by_endpoint ON deliveries (tenant, endpoint_id, updated_at);

CREATE TABLE attempts (
  tenant             text        NOT NULL,
  delivery_id        text        NOT NULL,
  step               integer     NOT NULL,
  attempt            integer     NOT NULL,
  at                 timestamptz NOT NULL,
  outcome            text        NOT NULL,
  http_status        integer,
  duration_ms        double precision,
  detail             text,
  response_excerpt   bytea,
  PRIMARY KEY (tenant, delivery_id, step)
);

-- Deliveries that wait: until a time (retrying) or for room (parked). Unpolled by clients; read by the owner of `partition`, who sends
-- and then removes the row.
CREATE TABLE waiting (
  tenant             text        NOT NULL,
  delivery_id        text        NOT NULL,
  -- The partition of `deliveries` that the endpoint's key falls into.
  partition          integer     NOT NULL,
  endpoint_id        text        NOT NULL,
  event_id           text        NOT NULL,
  generation         integer     NOT NULL,
  state              text        NOT NULL,
  due_at             timestamptz NOT NULL,
  step               integer     NOT NULL,
  attempts           integer     NOT NULL,
  created_at         timestamptz NOT NULL,
  PRIMARY KEY (tenant, delivery_id)
);
-- From lane to lane, and in each from the oldest: see services/dispatcher/waiting-table.ts.
CREATE INDEX waiting_by_lane ON waiting (partition, tenant, endpoint_id, due_at);

CREATE TABLE dead_letters (
  tenant             text        NOT NULL,
  id                 text        NOT NULL,
  origin             text        NOT NULL,
  stage              text        NOT NULL,
  reason             text        NOT NULL,
  attempts           integer     NOT NULL,
  event_id           text,
  delivery_id        text,
  endpoint_id        text,
  source_id          text,
  event_type         text,
  -- Where the letter itself stands on the dead-letters topic.
  letter_partition   integer     NOT NULL,
  letter_offset      bigint      NOT NULL,
  at                 timestamptz NOT NULL,
  PRIMARY KEY (tenant, id),
  UNIQUE (tenant, stage, origin)
);
CREATE INDEX dead_letters_by_time ON dead_letters (tenant, at);

-- Down Migration

DROP TABLE dead_letters, waiting, attempts, deliveries, receipts, fan_outs, event_payloads, events, tenant_clocks, dedup_keys, endpoints,
  rejections, sources;

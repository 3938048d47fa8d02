-- Up Migration

-- Every table carries its tenant, first in every key. Who writes what: api → sources, endpoints, api_keys, idempotency_keys, replays with
-- their items and generations, (with the dispatcher, which works them off) the status of dead_letters, and what people ask of an open
-- delivery: its cancel_requested, and the due_at of its row of waiting; ingress → rejections; dedup → dedup_keys;
-- projector → events, event_payloads, receipts, deliveries, attempts, dead_letters, retention_horizons, and (with the dispatcher, which
-- removes) waiting; dispatcher → failing_since of endpoints, their disabling where they are given up, and disablings.

CREATE TABLE sources (
  tenant             text        NOT NULL,
  id                 text        NOT NULL,
  name               text        NOT NULL,
  scheme             text        NOT NULL,
  -- What `scheme` and the checks need beyond the columns here: signature_header, timestamp_tolerance_seconds, …
  settings           jsonb       NOT NULL DEFAULT '{}',
  -- Sealed JSON list of {secret, expires_at?}: during a rotation there are two.
  secrets            bytea       NOT NULL,
  -- Counts changes by people.
  revision           integer     NOT NULL DEFAULT 1,
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
  -- Which payloads it gets: libs/event-filter. Null: all.
  filter             jsonb,
  -- What it was to get before changes by people, for events that were accepted before them: libs/contract/subscription.ts.
  history            jsonb       NOT NULL DEFAULT '[]',
  -- Without its secrets, which are masked, and stand sealed in `private`: libs/contract/private-settings.ts.
  settings           jsonb       NOT NULL DEFAULT '{}',
  private            bytea,
  -- Sealed JSON list of {secret, private_key?, expires_at?}.
  secrets            bytea       NOT NULL,
  -- List of {key, expires_at?}, the newest first: of the private keys among the secrets.
  public_keys        jsonb       NOT NULL DEFAULT '[]',
  -- Counts changes by people; a 410 disables only the revision that it saw.
  revision           integer     NOT NULL DEFAULT 1,
  created_at         timestamptz NOT NULL DEFAULT clock_timestamp(),
  changed_at         timestamptz NOT NULL DEFAULT clock_timestamp(),
  disabled_at        timestamptz,
  disabled_reason    text,
  -- Since when nothing that was sent to it was taken; null while something is. Written by the dispatcher.
  failing_since      timestamptz,
  deleted_at         timestamptz,
  PRIMARY KEY (tenant, id)
);
CREATE INDEX endpoints_changed ON endpoints (changed_at);

-- What an endpoint was to get before a change is kept with the instant of the change, for events that were accepted before it; of the last
-- hundred changes, since every process has all of them in memory. `changed_at` grows with every change, whoever makes it and whatever the
-- clock does: by it the other processes find what is new. After a change by a person, whether it fails is found out anew.
CREATE FUNCTION keep_endpoint_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.changed_at <= OLD.changed_at THEN
    NEW.changed_at := greatest(clock_timestamp(), OLD.changed_at + interval '1 microsecond');
  END IF;
  IF NEW.revision <> OLD.revision THEN
    NEW.failing_since := NULL;
  END IF;
  IF (NEW.event_types, NEW.source_ids, NEW.filter, NEW.disabled_at IS NULL AND NEW.deleted_at IS NULL) IS DISTINCT FROM
     (OLD.event_types, OLD.source_ids, OLD.filter, OLD.disabled_at IS NULL AND OLD.deleted_at IS NULL) THEN
    NEW.history :=
      CASE WHEN jsonb_array_length(OLD.history) < 100 THEN OLD.history ELSE OLD.history - 0 END || jsonb_build_object(
        'until', to_char(NEW.changed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
        'open', OLD.disabled_at IS NULL AND OLD.deleted_at IS NULL,
        'event_types', OLD.event_types,
        'source_ids', OLD.source_ids,
        'filter', OLD.filter);
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER keep_endpoint_history BEFORE UPDATE ON endpoints FOR EACH ROW EXECUTE FUNCTION keep_endpoint_history();

CREATE TABLE api_keys (
  tenant             text        NOT NULL,
  id                 text        NOT NULL,
  name               text        NOT NULL,
  scopes             text[]      NOT NULL,
  -- SHA-256 of the key, which is nowhere else.
  hash               bytea       NOT NULL,
  -- {per_second, burst}; null: the default of the API's settings.
  rate_limit         jsonb,
  revision           integer     NOT NULL DEFAULT 1,
  created_at         timestamptz NOT NULL DEFAULT clock_timestamp(),
  changed_at         timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- To the minute.
  last_used_at       timestamptz,
  deleted_at         timestamptz,
  PRIMARY KEY (tenant, id),
  -- A key names its row by the id alone: the row tells the tenant.
  UNIQUE (id)
);
CREATE INDEX api_keys_changed ON api_keys (changed_at);

-- Endpoints that the dispatcher has given up, until an event has told so: written with the disabling, removed after the event. Whoever
-- claims one tells it.
CREATE TABLE disablings (
  tenant             text        NOT NULL,
  endpoint_id        text        NOT NULL,
  disabled_at        timestamptz NOT NULL,
  revision           integer     NOT NULL,
  url                text        NOT NULL,
  reason             text        NOT NULL,
  failing_since      timestamptz,
  claimed_until      timestamptz NOT NULL DEFAULT '-infinity',
  PRIMARY KEY (tenant, endpoint_id, disabled_at)
);

-- The row that decides whether a webhook is the first of its key. Completed, it has an expiry, and its origin no longer: the event has that.
CREATE TABLE dedup_keys (
  tenant             text        NOT NULL,
  key                bytea       NOT NULL,
  origin             text,
  event_id           text        NOT NULL,
  body_hash          bytea       NOT NULL,
  generation         integer     NOT NULL DEFAULT 0,
  -- Null until the event is published.
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
  -- Those of them with another body.
  duplicates_changed integer     NOT NULL DEFAULT 0,
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
-- Whose deliveries are not known yet, and may need its payload, however old that is.
CREATE INDEX events_without_deliveries ON events (tenant, id) WHERE status = 'received';
-- For the list's filters: of a million events the few that have not ended well, those of a rare type or source, in 2 ms; 400 to 4,000 ms
-- without. What changes events takes as long as before, within what can be measured.
CREATE INDEX events_not_completed ON events (tenant, status, updated_at) WHERE status <> 'completed';
CREATE INDEX events_by_type ON events (tenant, type, updated_at);
CREATE INDEX events_by_source ON events (tenant, source_id, updated_at);

-- One partition a day, which the projector makes and drops; what belongs to none of its days stands in the one by default, and is refused
-- nowhere. An event's received_at never changes, so that its payload is in one partition, once.
CREATE TABLE event_payloads (
  tenant             text        NOT NULL,
  event_id           text        NOT NULL,
  received_at        timestamptz NOT NULL,
  content_type       text        NOT NULL,
  body               bytea       NOT NULL,
  PRIMARY KEY (tenant, event_id, received_at)
) PARTITION BY RANGE (received_at);
CREATE TABLE event_payloads_default PARTITION OF event_payloads DEFAULT;

-- Events that were published by the API and are not on their topic yet, written with them: services/api/outbox. As long as there is a row the
-- event is `received`, and its payload is kept.
CREATE TABLE outbox (
  tenant             text        NOT NULL,
  event_id           text        NOT NULL,
  ordering_key       text,
  -- In a tenant in the order of commits: whoever writes one has the tenant's clock.
  sequence           bigint      NOT NULL GENERATED ALWAYS AS IDENTITY,
  created_at         timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Of an ordering key the first row alone is claimed, for all of them.
  claimed_until      timestamptz NOT NULL DEFAULT '-infinity',
  PRIMARY KEY (tenant, event_id)
);
CREATE INDEX outbox_unordered ON outbox (sequence) WHERE ordering_key IS NULL;
CREATE INDEX outbox_by_key ON outbox (tenant, ordering_key, sequence) WHERE ordering_key IS NOT NULL;

-- A fan-out's set may be known before the event itself is: the two come by different topics.
CREATE TABLE fan_outs (
  tenant             text        NOT NULL,
  event_id           text        NOT NULL,
  generation         integer     NOT NULL,
  PRIMARY KEY (tenant, event_id, generation)
);

-- Which event a receipt belongs to: the event's own, and one for each duplicate. A duplicate may come before its event, which it is found
-- by again by the key: see services/projector/statements/duplicates.ts.
CREATE TABLE receipts (
  tenant             text        NOT NULL,
  origin             text        NOT NULL,
  receipt_id         text        NOT NULL,
  -- Null where no event of the key is known that it could be.
  event_id           text,
  duplicate          boolean     NOT NULL,
  -- Leads to the event that dedup named, and does not move any more.
  settled            boolean     NOT NULL,
  changed            boolean     NOT NULL DEFAULT false,
  -- Null on the event's own receipt; else the event's id as dedup named it, or the end of it.
  event_hint         text,
  dedup_key          bytea       NOT NULL,
  body_hash          bytea       NOT NULL,
  received_at        timestamptz NOT NULL,
  PRIMARY KEY (tenant, origin)
);
CREATE INDEX receipts_by_id ON receipts (tenant, receipt_id);
CREATE INDEX receipts_by_event ON receipts (tenant, event_id);
CREATE INDEX receipts_of_events_by_key ON receipts (tenant, dedup_key) WHERE NOT duplicate;
CREATE INDEX receipts_unsettled_by_key ON receipts (tenant, dedup_key) WHERE NOT settled;

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
  -- Somebody wants it ended: its partition's owner does so as soon as it waits.
  cancel_requested   boolean     NOT NULL DEFAULT false,
  PRIMARY KEY (tenant, id)
);
CREATE INDEX deliveries_by_event ON deliveries (tenant, event_id, generation);
CREATE INDEX deliveries_by_endpoint ON deliveries (tenant, endpoint_id, updated_at);
-- What may still need its event's payload, however old that is.
CREATE INDEX deliveries_open ON deliveries (tenant, event_id) WHERE status IN ('pending', 'retrying', 'parked');
CREATE INDEX deliveries_to_cancel ON deliveries (tenant, id)
 WHERE cancel_requested AND status IN ('pending', 'retrying', 'parked');

-- Partitioned as payloads are, by the instant within the delivery's id: the one time that is the same in every record of a delivery, also
-- in those that come again after a crash.
CREATE TABLE attempts (
  tenant             text        NOT NULL,
  delivery_id        text        NOT NULL,
  step               integer     NOT NULL,
  attempt            integer     NOT NULL,
  at                 timestamptz NOT NULL,
  delivery_at        timestamptz NOT NULL,
  outcome            text        NOT NULL,
  http_status        integer,
  duration_ms        double precision,
  detail             text,
  response_excerpt   bytea,
  -- {method, url, headers}, secret values masked; null where nothing was sent. Only ever read whole: as json, the headers stay in their
  -- order, and a row is a seventh smaller than with jsonb.
  request            json,
  response_headers   json,
  -- How long each phase took; null for one that did not take place.
  dns_ms             real,
  connect_ms         real,
  tls_ms             real,
  first_byte_ms      real,
  body_ms            real,
  PRIMARY KEY (tenant, delivery_id, step, delivery_at)
) PARTITION BY RANGE (delivery_at);
CREATE TABLE attempts_default PARTITION OF attempts DEFAULT;

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
  -- Of an ordered endpoint: a hash of its key, and its place in the order, which is the offset on `deliveries`. The dispatcher alone
  -- writes and removes such rows; the first of a key has a time at which it is due, those behind it are due at infinity.
  ordering_key       bytea,
  sequence           bigint,
  -- Until when its receiver has asked to be left alone: the same of these rows, which may else be sent before they are due.
  not_before         timestamptz,
  PRIMARY KEY (tenant, delivery_id),
  CHECK ((ordering_key IS NULL) = (sequence IS NULL))
);
-- From lane to lane, and in each from the oldest: see services/dispatcher/waiting/waiting-table.ts.
CREATE INDEX waiting_by_lane ON waiting (partition, tenant, endpoint_id, due_at);
-- The same from the first created, for what has waited past its window: see services/dispatcher/waiting/overdue-table.ts.
CREATE INDEX waiting_by_age ON waiting (partition, tenant, endpoint_id, created_at);
CREATE INDEX waiting_by_key ON waiting (tenant, endpoint_id, ordering_key, sequence) WHERE ordering_key IS NOT NULL;

CREATE TABLE dead_letters (
  tenant             text        NOT NULL,
  id                 text        NOT NULL,
  origin             text        NOT NULL,
  -- Of what died: 0, and one more for each replay, after which it may die again.
  generation         integer     NOT NULL DEFAULT 0,
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
  -- What died, to be written again: headers as libs/contract/dead-letter.ts packs them; a delivery's value is its event's payload, and null.
  key                bytea,
  headers            bytea       NOT NULL,
  value              bytea,
  -- dead, replaying (claimed by replay_id, and by no other), replayed.
  status             text        NOT NULL DEFAULT 'dead',
  replay_id          text,
  replayed_at        timestamptz,
  PRIMARY KEY (tenant, id),
  UNIQUE (tenant, stage, origin, generation)
);
CREATE INDEX dead_letters_by_time ON dead_letters (tenant, at);
CREATE INDEX dead_letters_by_event ON dead_letters (tenant, event_id) WHERE event_id IS NOT NULL;
CREATE INDEX dead_letters_to_replay ON dead_letters (tenant, at, id) WHERE status = 'dead';

-- Jobs: see libs/replay-store. Whoever holds the lease works one off.
CREATE TABLE replays (
  tenant             text             NOT NULL,
  id                 text             NOT NULL,
  -- As it was asked for.
  request            jsonb            NOT NULL,
  rate_per_second    double precision,
  status             text             NOT NULL,
  matched            integer          NOT NULL,
  replayed           integer          NOT NULL DEFAULT 0,
  failed             integer          NOT NULL DEFAULT 0,
  -- More matched than the limit let in.
  capped             boolean          NOT NULL,
  created_at         timestamptz      NOT NULL,
  ended_at           timestamptz,
  lease_owner        text,
  lease_until        timestamptz,
  PRIMARY KEY (tenant, id)
);
CREATE INDEX replays_running ON replays (created_at) WHERE status = 'running';

-- What a replay is to send: a dead letter, or an event's delivery to an endpoint.
CREATE TABLE replay_items (
  tenant             text        NOT NULL,
  replay_id          text        NOT NULL,
  item               integer     NOT NULL,
  letter_id          text,
  -- Of a delivery, with the endpoint.
  event_id           text,
  endpoint_id        text,
  -- Under which it is sent, however often that is begun.
  generation         integer     NOT NULL,
  status             text        NOT NULL DEFAULT 'waiting',
  reason             text,
  PRIMARY KEY (tenant, replay_id, item)
);
CREATE INDEX replay_items_open ON replay_items (tenant, replay_id, item) WHERE status IN ('waiting', 'sending');

-- The last generation that was given to a replay of each event.
CREATE TABLE replay_generations (
  tenant             text        NOT NULL,
  event_id           text        NOT NULL,
  generation         integer     NOT NULL,
  PRIMARY KEY (tenant, event_id)
);

-- The answers to requests with an Idempotency-Key: libs/idempotency. Of a request that is still carried out, nothing can be seen here.
CREATE TABLE idempotency_keys (
  tenant             text        NOT NULL,
  credential         text        NOT NULL,
  -- SHA-256: the key itself is nowhere.
  key_hash           bytea       NOT NULL,
  request_hash       bytea       NOT NULL,
  -- Whose row it is: what another has taken over can't be written by the one before.
  token              bytea       NOT NULL,
  -- The answer is provisional until then at least; null: it is final.
  locked_until       timestamptz,
  -- Sealed: status, headers and body. Null only within the transaction that carries the request out.
  response           bytea,
  expires_at         timestamptz NOT NULL,
  PRIMARY KEY (tenant, credential, key_hash)
);
CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_at);

-- Up to which updated_at events of a tenant have been removed: who has read as far, or farther, has missed none of them; who has not, may
-- have.
CREATE TABLE retention_horizons (
  tenant             text        PRIMARY KEY,
  events_removed_to  timestamptz NOT NULL
);

-- Down Migration

DROP TABLE retention_horizons, idempotency_keys, replay_generations, replay_items, replays, dead_letters, waiting, attempts, deliveries, receipts,
  fan_outs, outbox, event_payloads, events, tenant_clocks, dedup_keys, disablings, api_keys, endpoints, rejections, sources;
DROP FUNCTION keep_endpoint_history;

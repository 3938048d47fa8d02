-- Up Migration

-- How sources, endpoints and api_keys are followed by the processes that have them in memory, how long what is gone from them can be judged
-- by, and how much of them a tenant has: docs/adr/0020-following-tables.md.

-- The transaction that last changed the row. A reader remembers the snapshot that it has read, and next asks for what is not visible in it:
-- whenever a transaction commits, and whatever the clock does, its rows are among those, once. Rows from before this migration are visible
-- in every snapshot.
ALTER TABLE sources ADD COLUMN changed_in xid8 NOT NULL DEFAULT '0';
ALTER TABLE endpoints ADD COLUMN changed_in xid8 NOT NULL DEFAULT '0';
ALTER TABLE api_keys ADD COLUMN changed_in xid8 NOT NULL DEFAULT '0';
ALTER TABLE sources ALTER COLUMN changed_in SET DEFAULT pg_current_xact_id();
ALTER TABLE endpoints ALTER COLUMN changed_in SET DEFAULT pg_current_xact_id();
ALTER TABLE api_keys ALTER COLUMN changed_in SET DEFAULT pg_current_xact_id();
CREATE INDEX sources_changed_in ON sources (changed_in);
CREATE INDEX endpoints_changed_in ON endpoints (changed_in);
CREATE INDEX api_keys_changed_in ON api_keys (changed_in);

-- Buried: deleted so long ago that no record can be judged by it. Of such a row the tenant, the id and its times are left, for ever: whoever
-- asks for it is told that it is gone. Nobody has it in memory. Written by the projector (services/projector/retention).
ALTER TABLE sources ADD COLUMN buried boolean NOT NULL DEFAULT false;
ALTER TABLE endpoints ADD COLUMN buried boolean NOT NULL DEFAULT false;
ALTER TABLE api_keys ADD COLUMN buried boolean NOT NULL DEFAULT false;
CREATE INDEX sources_kept ON sources (tenant, id) WHERE NOT buried;
CREATE INDEX endpoints_kept ON endpoints (tenant, id) WHERE NOT buried;
CREATE INDEX api_keys_kept ON api_keys (tenant, id) WHERE NOT buried;
CREATE INDEX sources_to_bury ON sources (deleted_at) WHERE deleted_at IS NOT NULL AND NOT buried;
CREATE INDEX endpoints_to_bury ON endpoints (deleted_at) WHERE deleted_at IS NOT NULL AND NOT buried;
CREATE INDEX api_keys_to_bury ON api_keys (deleted_at) WHERE deleted_at IS NOT NULL AND NOT buried;

-- About what a row takes in the memory of those who follow it; 0 once it is buried.
ALTER TABLE sources ADD COLUMN bytes integer NOT NULL DEFAULT 0;
ALTER TABLE endpoints ADD COLUMN bytes integer NOT NULL DEFAULT 0;
-- Of the history alone, and how often that was changed: who has read it at this number need not read it again.
ALTER TABLE endpoints ADD COLUMN history_bytes integer NOT NULL DEFAULT 0;
ALTER TABLE endpoints ADD COLUMN history_revision integer NOT NULL DEFAULT 0;

CREATE FUNCTION weigh_source() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.bytes := CASE WHEN NEW.buried THEN 0
    ELSE 500 + octet_length(NEW.name) + octet_length(NEW.settings::text) + octet_length(NEW.secrets) END;
  RETURN NEW;
END $$;

CREATE FUNCTION weigh_endpoint() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- From a copy of another database.
  IF TG_OP = 'INSERT' AND NEW.history <> '[]' THEN
    NEW.history_revision := jsonb_array_length(NEW.history);
    NEW.history_bytes := octet_length(NEW.history::text);
  END IF;
  NEW.bytes := CASE WHEN NEW.buried THEN 0
    ELSE 500 + octet_length(NEW.url) + octet_length(NEW.description) + octet_length(NEW.event_types::text)
       + octet_length(NEW.source_ids::text) + coalesce(octet_length(NEW.filter::text), 0) + NEW.history_bytes
       + octet_length(NEW.settings::text) + coalesce(octet_length(NEW.private), 0)
       + octet_length(NEW.secrets) + octet_length(NEW.public_keys::text) END;
  RETURN NEW;
END $$;

-- Triggers of one event fire in the order of their names.
CREATE TRIGGER b_weigh_source BEFORE INSERT OR UPDATE ON sources FOR EACH ROW EXECUTE FUNCTION weigh_source();
CREATE TRIGGER c_weigh_endpoint BEFORE INSERT OR UPDATE ON endpoints FOR EACH ROW EXECUTE FUNCTION weigh_endpoint();

-- Weighs the rows that there are. Nothing of what is in force changes by it, and `changed_at` stays.
DROP TRIGGER keep_endpoint_history ON endpoints;
UPDATE endpoints SET history_bytes = octet_length(history::text), history_revision = jsonb_array_length(history) WHERE history <> '[]';
UPDATE endpoints SET bytes = 0 WHERE bytes = 0;
UPDATE sources SET bytes = 0;

-- `changed_at` grows with every change, whoever makes it and whatever the clock does: of two readings of a row the newer is known by it.
CREATE FUNCTION mark_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.changed_in := pg_current_xact_id();
  IF NEW.changed_at <= OLD.changed_at THEN
    NEW.changed_at := greatest(clock_timestamp(), OLD.changed_at + interval '1 microsecond');
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER a_mark_change BEFORE UPDATE ON sources FOR EACH ROW EXECUTE FUNCTION mark_change();
-- When it was last used is of no interest to those who follow it.
CREATE TRIGGER a_mark_change BEFORE UPDATE OF tenant, id, scopes, hash, rate_limit, revision, changed_at, deleted_at, buried ON api_keys
  FOR EACH ROW EXECUTE FUNCTION mark_change();

-- What an endpoint was to get before a change is kept with the instant of the change, for events that were accepted before it. Nothing is
-- dropped here: the projector removes what no record can be judged by any more, and the API refuses changes beyond a tenant's limit. After a
-- change by a person, whether the endpoint fails is found out anew.
CREATE OR REPLACE FUNCTION keep_endpoint_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.revision <> OLD.revision THEN
    NEW.failing_since := NULL;
  END IF;
  IF NOT NEW.buried AND
     (NEW.event_types, NEW.source_ids, NEW.filter, NEW.disabled_at IS NULL AND NEW.deleted_at IS NULL) IS DISTINCT FROM
     (OLD.event_types, OLD.source_ids, OLD.filter, OLD.disabled_at IS NULL AND OLD.deleted_at IS NULL) THEN
    NEW.history := OLD.history || jsonb_build_object(
        'until', to_char(NEW.changed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
        'open', OLD.disabled_at IS NULL AND OLD.deleted_at IS NULL,
        'event_types', OLD.event_types,
        'source_ids', OLD.source_ids,
        'filter', OLD.filter);
    NEW.history_revision := OLD.history_revision + 1;
  END IF;
  IF NEW.history_revision <> OLD.history_revision THEN
    NEW.history_bytes := octet_length(NEW.history::text);
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER a_mark_change BEFORE UPDATE ON endpoints FOR EACH ROW EXECUTE FUNCTION mark_change();
CREATE TRIGGER b_keep_history BEFORE UPDATE ON endpoints FOR EACH ROW EXECUTE FUNCTION keep_endpoint_history();

-- How much of each a tenant has, so that nobody counts rows: moved with them, in the same transaction. Whoever creates something holds the
-- tenant's row until it commits, so that two at once do not both find the last place.
CREATE TABLE tenant_resources (
  tenant             text        NOT NULL,
  kind               text        NOT NULL,
  -- Not deleted.
  live               integer     NOT NULL DEFAULT 0,
  -- Of all that are not buried.
  bytes              bigint      NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant, kind)
) WITH (fillfactor = 50);
INSERT INTO tenant_resources (tenant, kind, live, bytes)
SELECT tenant, 'sources', count(*) FILTER (WHERE deleted_at IS NULL), sum(bytes) FROM sources GROUP BY tenant
UNION ALL
SELECT tenant, 'endpoints', count(*) FILTER (WHERE deleted_at IS NULL), sum(bytes) FROM endpoints GROUP BY tenant;

-- Once a statement: a row for each of its rows would be quadratic work. In the order of tenants, so that two statements wait in no circle.
CREATE FUNCTION count_resources() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO tenant_resources AS counted (tenant, kind, live, bytes)
    SELECT tenant, TG_TABLE_NAME, count(*) FILTER (WHERE deleted_at IS NULL), sum(bytes)
      FROM after_it
     GROUP BY tenant
     ORDER BY tenant
    ON CONFLICT (tenant, kind) DO UPDATE SET live = counted.live + EXCLUDED.live, bytes = counted.bytes + EXCLUDED.bytes;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO tenant_resources AS counted (tenant, kind, live, bytes)
    SELECT tenant, TG_TABLE_NAME, -count(*) FILTER (WHERE deleted_at IS NULL), -sum(bytes)
      FROM before_it
     GROUP BY tenant
     ORDER BY tenant
    ON CONFLICT (tenant, kind) DO UPDATE SET live = counted.live + EXCLUDED.live, bytes = counted.bytes + EXCLUDED.bytes;
  ELSE
    INSERT INTO tenant_resources AS counted (tenant, kind, live, bytes)
    SELECT tenant, TG_TABLE_NAME, sum(live), sum(bytes)
      FROM (SELECT tenant, (deleted_at IS NULL)::integer AS live, bytes FROM after_it
            UNION ALL
            SELECT tenant, -(deleted_at IS NULL)::integer, -bytes FROM before_it) AS moved
     GROUP BY tenant
    HAVING sum(live) <> 0 OR sum(bytes) <> 0
     ORDER BY tenant
    ON CONFLICT (tenant, kind) DO UPDATE SET live = counted.live + EXCLUDED.live, bytes = counted.bytes + EXCLUDED.bytes;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER count_inserted AFTER INSERT ON sources
  REFERENCING NEW TABLE AS after_it FOR EACH STATEMENT EXECUTE FUNCTION count_resources();
CREATE TRIGGER count_updated AFTER UPDATE ON sources
  REFERENCING OLD TABLE AS before_it NEW TABLE AS after_it FOR EACH STATEMENT EXECUTE FUNCTION count_resources();
CREATE TRIGGER count_deleted AFTER DELETE ON sources
  REFERENCING OLD TABLE AS before_it FOR EACH STATEMENT EXECUTE FUNCTION count_resources();
CREATE TRIGGER count_inserted AFTER INSERT ON endpoints
  REFERENCING NEW TABLE AS after_it FOR EACH STATEMENT EXECUTE FUNCTION count_resources();
CREATE TRIGGER count_updated AFTER UPDATE ON endpoints
  REFERENCING OLD TABLE AS before_it NEW TABLE AS after_it FOR EACH STATEMENT EXECUTE FUNCTION count_resources();
CREATE TRIGGER count_deleted AFTER DELETE ON endpoints
  REFERENCING OLD TABLE AS before_it FOR EACH STATEMENT EXECUTE FUNCTION count_resources();

-- Down Migration

DROP TRIGGER count_inserted ON sources;
DROP TRIGGER count_updated ON sources;
DROP TRIGGER count_deleted ON sources;
DROP TRIGGER count_inserted ON endpoints;
DROP TRIGGER count_updated ON endpoints;
DROP TRIGGER count_deleted ON endpoints;
DROP FUNCTION count_resources;
DROP TABLE tenant_resources;
DROP TRIGGER a_mark_change ON sources;
DROP TRIGGER b_weigh_source ON sources;
DROP TRIGGER a_mark_change ON api_keys;
DROP TRIGGER a_mark_change ON endpoints;
DROP TRIGGER b_keep_history ON endpoints;
DROP TRIGGER c_weigh_endpoint ON endpoints;
DROP FUNCTION mark_change, weigh_source, weigh_endpoint;

CREATE OR REPLACE FUNCTION keep_endpoint_history() RETURNS trigger LANGUAGE plpgsql AS $$
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

ALTER TABLE sources DROP COLUMN changed_in, DROP COLUMN buried, DROP COLUMN bytes;
ALTER TABLE endpoints DROP COLUMN changed_in, DROP COLUMN buried, DROP COLUMN bytes, DROP COLUMN history_bytes, DROP COLUMN history_revision;
ALTER TABLE api_keys DROP COLUMN changed_in, DROP COLUMN buried;

-- Up Migration

-- Facts for an operational event, written in the transaction of what happens, until the event is on its topic: docs/operational-events.md.
-- A dispatcher claims it, publishes it and removes it. Once it is removed, the deduplication of the event (its identifier is this key) keeps
-- what is announced again from being an event again.
CREATE TABLE announcements (
  tenant             text        NOT NULL,
  type               text        NOT NULL,
  -- The id of the endpoint or source, or the name of the limit.
  subject            text        NOT NULL,
  -- Tells one outage, day or quarter of an hour of the subject from the next: of each there is one event of a type.
  episode            text        NOT NULL,
  facts              jsonb       NOT NULL,
  due_at             timestamptz NOT NULL,
  claimed_until      timestamptz NOT NULL DEFAULT '-infinity',
  PRIMARY KEY (tenant, type, subject, episode)
);
CREATE INDEX announcements_by_time ON announcements (due_at);

-- Whether an endpoint may ask for operational events: few do. Of the tenants without one, nothing is announced.
CREATE FUNCTION names_operational_type(event_types text[]) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT EXISTS (SELECT FROM unnest(event_types) AS pattern WHERE starts_with(pattern, 'hookline.'))
$$;
CREATE INDEX endpoints_asking ON endpoints (tenant)
 WHERE names_operational_type(event_types) AND disabled_at IS NULL AND deleted_at IS NULL;

-- By the type, or by a pattern for it: `hookline.endpoint.*`, `hookline.*` (libs/contract/subscription.ts).
CREATE FUNCTION is_asked_for(of_tenant text, of_type text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM endpoints
     WHERE tenant = of_tenant
       AND names_operational_type(event_types) AND disabled_at IS NULL AND deleted_at IS NULL
       AND event_types && ARRAY[of_type, regexp_replace(of_type, '[^.]+$', '*'), 'hookline.*'])
$$;

-- The one way to announce. An endpoint's disabling is announced whether or not it is asked for: pollers and operators look for that event.
CREATE FUNCTION announce(
  of_tenant text, of_type text, of_subject text, of_episode text, with_facts jsonb,
  due timestamptz DEFAULT clock_timestamp()
) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF of_type <> 'hookline.endpoint.disabled' AND NOT is_asked_for(of_tenant, of_type) THEN
    RETURN false;
  END IF;
  INSERT INTO announcements (tenant, type, subject, episode, facts, due_at)
  VALUES (of_tenant, of_type, of_subject, of_episode, with_facts, due)
  ON CONFLICT DO NOTHING;
  RETURN FOUND;
END $$;

-- As times are written in payloads.
CREATE FUNCTION rfc3339(at timestamptz) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
$$;

-- Since when an endpoint fails, once that is announced; null again when the recovery is. Written by the dispatcher with the announcement.
ALTER TABLE endpoints ADD COLUMN outage_since timestamptz;

-- A closed endpoint does not recover: if it is opened again, it starts anew.
CREATE FUNCTION end_outage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.outage_since := NULL;
  RETURN NEW;
END $$;
CREATE TRIGGER b_end_outage BEFORE UPDATE OF disabled_at, deleted_at ON endpoints FOR EACH ROW
  WHEN (NEW.outage_since IS NOT NULL AND (NEW.disabled_at IS NOT NULL OR NEW.deleted_at IS NOT NULL))
  EXECUTE FUNCTION end_outage();

-- Since when a source accepts nothing, once that is announced; null again when it accepts something. Written by the ingress.
ALTER TABLE sources ADD COLUMN rejecting_since timestamptz;

-- Disablings were announced from a table of their own. What it still holds is announced in the new way, under the same identifier, and so is
-- what dispatchers of the version before write into it until they are replaced. A later version drops it.
CREATE FUNCTION announce_disabling() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM announce(
    NEW.tenant, 'hookline.endpoint.disabled', NEW.endpoint_id, NEW.revision || '/' || rfc3339(NEW.disabled_at),
    jsonb_strip_nulls(jsonb_build_object(
      'url', NEW.url, 'reason', NEW.reason, 'failing_since', rfc3339(NEW.failing_since), 'disabled_at', rfc3339(NEW.disabled_at))),
    NEW.disabled_at + interval '5 seconds');
  RETURN NULL;
END $$;
CREATE TRIGGER announce_disabling BEFORE INSERT ON disablings FOR EACH ROW EXECUTE FUNCTION announce_disabling();
WITH moved AS (DELETE FROM disablings RETURNING *)
INSERT INTO disablings (tenant, endpoint_id, disabled_at, revision, url, reason, failing_since)
SELECT tenant, endpoint_id, disabled_at, revision, url, reason, failing_since FROM moved;

-- Down Migration

DROP TRIGGER announce_disabling ON disablings;
INSERT INTO disablings (tenant, endpoint_id, disabled_at, revision, url, reason, failing_since)
SELECT tenant, subject, (facts->>'disabled_at')::timestamptz, split_part(episode, '/', 1)::integer, facts->>'url', facts->>'reason',
       (facts->>'failing_since')::timestamptz
  FROM announcements
 WHERE type = 'hookline.endpoint.disabled';
DROP FUNCTION announce_disabling;
DROP TRIGGER b_end_outage ON endpoints;
DROP FUNCTION end_outage;
ALTER TABLE sources DROP COLUMN rejecting_since;
ALTER TABLE endpoints DROP COLUMN outage_since;
DROP FUNCTION announce;
DROP FUNCTION rfc3339;
DROP FUNCTION is_asked_for;
DROP INDEX endpoints_asking;
DROP FUNCTION names_operational_type;
DROP TABLE announcements;

-- Up Migration

-- From when on a change of an endpoint counts: two seconds after it, by this server's clock, since every process knows of it by then
-- (`endpointSettlingMs`, libs/contract/settings.ts). Events that were accepted before are judged as before the change. docs/adr/0048-followed-tables-on-demand.md.
-- `begins_at` is that of the creation, `effective_at` that of the last change by a person, of its state, or of its pauses; each entry of `history` has
-- the one of its change. Null, and missing there: from before this migration, when it was five seconds.
ALTER TABLE endpoints ADD COLUMN begins_at timestamptz, ADD COLUMN effective_at timestamptz;

CREATE FUNCTION note_beginning() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.begins_at := coalesce(NEW.begins_at, NEW.created_at + interval '2 seconds');
  NEW.effective_at := coalesce(NEW.effective_at, NEW.begins_at);
  RETURN NEW;
END $$;

CREATE TRIGGER b_note_beginning BEFORE INSERT ON endpoints FOR EACH ROW EXECUTE FUNCTION note_beginning();

CREATE OR REPLACE FUNCTION keep_endpoint_history() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  gets_others boolean :=
    (NEW.event_types, NEW.source_ids, NEW.filter, NEW.disabled_at IS NULL AND NEW.deleted_at IS NULL) IS DISTINCT FROM
    (OLD.event_types, OLD.source_ids, OLD.filter, OLD.disabled_at IS NULL AND OLD.deleted_at IS NULL);
BEGIN
  IF NEW.revision <> OLD.revision THEN
    NEW.failing_since := NULL;
  END IF;
  -- It grows with every change, as `changed_at` does: changes count in their order.
  IF NOT NEW.buried AND (gets_others OR NEW.revision <> OLD.revision OR NEW.pauses IS DISTINCT FROM OLD.pauses
                         OR NEW.deleted_at IS DISTINCT FROM OLD.deleted_at) THEN
    NEW.effective_at := greatest(
      NEW.changed_at + interval '2 seconds',
      coalesce(OLD.effective_at, OLD.changed_at + interval '5 seconds') + interval '1 microsecond');
  END IF;
  IF NOT NEW.buried AND gets_others THEN
    NEW.history := OLD.history || jsonb_build_object(
        'until', to_char(NEW.changed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
        'effective_at', to_char(NEW.effective_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
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

-- A reading as of a second before an event is to show all that counts for the event, so what is committed later than a second after its own time
-- (`endpointCommitMs`) is not committed at all: its transaction was paused, or waited. It can be tried again.
CREATE FUNCTION refuse_late_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.changed_at >= now() AND clock_timestamp() > NEW.changed_at + interval '1 second' THEN
    RAISE EXCEPTION 'an endpoint was changed in a transaction that took too long' USING ERRCODE = 'serialization_failure';
  END IF;
  RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER refuse_late_creation AFTER INSERT ON endpoints
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse_late_change();
CREATE CONSTRAINT TRIGGER refuse_late_change AFTER UPDATE ON endpoints
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.effective_at IS DISTINCT FROM OLD.effective_at)
  EXECUTE FUNCTION refuse_late_change();

-- Down Migration

DROP TRIGGER refuse_late_change ON endpoints;
DROP TRIGGER refuse_late_creation ON endpoints;
DROP TRIGGER b_note_beginning ON endpoints;
DROP FUNCTION refuse_late_change, note_beginning;

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

ALTER TABLE endpoints DROP COLUMN begins_at, DROP COLUMN effective_at;

-- Up Migration

-- Events that were erased, and tenants that were deleted: docs/adr/0033-erasure.md. A row is written before anything is removed, and asked by
-- whatever could bring something back, for as long as Kafka may still have it. Followed by the processes that send, as endpoints are (0003).
CREATE TABLE erased (
  tenant             text        NOT NULL,
  -- The event; empty: everything of the tenant.
  id                 text        NOT NULL,
  erasure_id         text        NOT NULL,
  -- The key of an event, by which a duplicate that comes later is recognised.
  dedup_key          bytea,
  -- SHA-256 of the values by which answers and jobs name the event; null once the erasure has completed.
  names              bytea[],
  -- Everything that belongs to it was removed once.
  removed            boolean     NOT NULL DEFAULT false,
  changed_at         timestamptz NOT NULL DEFAULT clock_timestamp(),
  changed_in         xid8        NOT NULL DEFAULT pg_current_xact_id(),
  -- So long ago that nobody has it in memory: it is looked up.
  buried             boolean     NOT NULL DEFAULT false,
  PRIMARY KEY (tenant, id)
);
CREATE INDEX erased_changed_in ON erased (changed_in);
CREATE INDEX erased_kept ON erased (tenant, id) WHERE NOT buried;
CREATE INDEX erased_to_bury ON erased (changed_at) WHERE NOT buried;
CREATE INDEX erased_by_erasure ON erased (tenant, erasure_id, id);
CREATE INDEX erased_by_key ON erased (tenant, dedup_key) WHERE dedup_key IS NOT NULL;
-- How far the erasure has come is of no interest to those who follow it.
CREATE TRIGGER a_mark_change BEFORE UPDATE OF buried ON erased FOR EACH ROW EXECUTE FUNCTION mark_change();

-- Jobs that erase, and then their receipts: services/api/erasing. Whoever holds the lease works one off.
CREATE TABLE erasures (
  tenant             text        NOT NULL,
  id                 text        NOT NULL,
  -- events, tenant.
  kind               text        NOT NULL,
  -- marking, removing, confirming, completed.
  state              text        NOT NULL,
  -- Null for one event and for a tenant, and once all events that match are marked: it may hold what is to be erased.
  filter             jsonb,
  -- The names in the filter, which stay.
  filtered_by        text[]      NOT NULL DEFAULT '{}',
  -- The one event.
  event_id           text,
  -- Events that were received later are left.
  as_of              timestamptz NOT NULL,
  -- Events up to this updated_at are marked; of the table at hand the rows up to this key are done.
  marked_to          timestamptz NOT NULL DEFAULT '-infinity',
  done_to            text        NOT NULL DEFAULT '',
  -- The last mark was made before this transaction, and is known to all who have it in memory from this time on.
  marked_in          xid8,
  settles_at         timestamptz,
  events             integer     NOT NULL DEFAULT 0,
  -- Rows that were removed, or emptied, by table.
  removed            jsonb       NOT NULL DEFAULT '{}',
  -- Records of a deleted tenant that came later and were dropped.
  dropped            bigint      NOT NULL DEFAULT 0,
  -- List of {topic, kept_until}: until when Kafka has bytes, by the topic's retention; null: for ever.
  kafka              jsonb,
  -- The last of these.
  kept_until         timestamptz,
  created_at         timestamptz NOT NULL,
  completed_at       timestamptz,
  lease_owner        text,
  lease_until        timestamptz,
  PRIMARY KEY (tenant, id)
);
CREATE INDEX erasures_open ON erasures (created_at) WHERE completed_at IS NULL;
CREATE UNIQUE INDEX erasures_of_tenants ON erasures (tenant) WHERE kind = 'tenant';

-- Down Migration

DROP TABLE erasures, erased;

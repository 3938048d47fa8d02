-- Up Migration

-- Event types: services/api/event-types. Changes of a tenant's types run one after the other (an advisory lock), so that they are decided by names
-- and versions that nobody changes meanwhile.
CREATE TABLE event_types (
  tenant             text        NOT NULL,
  id                 text        NOT NULL,
  -- public, portal, internal.
  visibility         text        NOT NULL,
  category           text,
  description        text        NOT NULL,
  notes              text        NOT NULL,
  words              integer     NOT NULL,
  -- off, tag, reject.
  enforce            text        NOT NULL,
  -- {since, reason, until}; null: not paused.
  paused             jsonb,
  -- {since, reason, sunset_at, successor}; null: not deprecated.
  deprecation        jsonb,
  -- The newest version; null without any.
  version            integer,
  -- Of its texts and of all its versions.
  bytes              integer     NOT NULL,
  revision           integer     NOT NULL DEFAULT 1,
  created_at         timestamptz NOT NULL DEFAULT clock_timestamp(),
  changed_at         timestamptz NOT NULL DEFAULT clock_timestamp(),
  retired_at         timestamptz,
  -- The type that its names lead to; one that was merged itself leads on at once.
  merged_into        text,
  PRIMARY KEY (tenant, id)
);
CREATE INDEX event_types_merged ON event_types (tenant, merged_into) WHERE merged_into IS NOT NULL;

-- Every name that was ever given. An alias leads to its type, whatever that is called: there are no chains.
CREATE TABLE event_type_names (
  tenant             text        NOT NULL,
  -- Sorted by its bytes, for pages.
  name               text        COLLATE "C" NOT NULL,
  type_id            text        NOT NULL,
  -- current, renamed, merged.
  kind               text        NOT NULL,
  since              timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant, name)
);
CREATE INDEX event_type_names_by_type ON event_type_names (tenant, type_id);
CREATE UNIQUE INDEX event_type_names_current ON event_type_names (tenant, type_id) WHERE kind = 'current';

-- json, not jsonb: members keep the order in which they are read best.
CREATE TABLE event_type_versions (
  tenant             text        NOT NULL,
  type_id            text        NOT NULL,
  version            integer     NOT NULL,
  schema             json        NOT NULL,
  example            json        NOT NULL,
  example_generated  boolean     NOT NULL,
  notes              text        NOT NULL,
  -- initial, compatible, breaking.
  compatibility      text        NOT NULL,
  -- List of {field, change, breaking}.
  differences        jsonb       NOT NULL,
  published_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant, type_id, version)
);

-- What is said of the changes of types, newest first.
CREATE TABLE event_type_changes (
  tenant             text        NOT NULL,
  id                 text        NOT NULL,
  -- In the order of the changes.
  n                  bigint      GENERATED ALWAYS AS IDENTITY,
  at                 timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Of a merged type its own, until its changes are shown as those of the other.
  type_id            text        NOT NULL,
  change             text        NOT NULL,
  name               text        NOT NULL,
  -- {version, compatibility, from, into, notes}, as far as they apply.
  facts              jsonb       NOT NULL,
  PRIMARY KEY (tenant, id)
);
CREATE INDEX event_type_changes_by_time ON event_type_changes (tenant, n);

-- Down Migration

DROP TABLE event_type_changes, event_type_versions, event_type_names, event_types;

-- Up Migration

-- The widest audience that the type had while it was called so: public, portal, internal. Null: not noted yet, then that of the type. Nobody is
-- told a name that was given before they could see the type.
ALTER TABLE event_type_names ADD COLUMN visibility text;

-- Down Migration

ALTER TABLE event_type_names DROP COLUMN visibility;

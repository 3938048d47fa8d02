import type { EventTypeField, EventTypeVersion } from '#lib/api-contract';
import type { Query } from '#lib/postgres';
import type { PageRequest } from '../http/paging.ts';

/** The columns of the answer. */
const columns =
  'version, schema, example, example_generated, notes, compatibility, differences, fields, fields_truncated, published_at';

/** @param typeId of a type of the tenant */
export async function findVersion(
  postgres: Query,
  tenant: string,
  typeId: string,
  version: number,
): Promise<EventTypeVersion | undefined> {
  const [row] = await postgres.query<EventTypeVersion>(
    `SELECT ${columns} FROM event_type_versions WHERE tenant = $1 AND type_id = $2 AND version = $3`,
    [tenant, typeId, version],
  );
  return row;
}

/** Versions without their schemas. */
export type VersionFacts = Omit<EventTypeVersion, 'schema' | 'example' | 'fields' | 'fields_truncated'>;

/** The newest versions, by the ids of their types. */
export async function findNewestFacts(
  postgres: Query,
  tenant: string,
  typeIds: readonly string[],
): Promise<ReadonlyMap<string, VersionFacts>> {
  const rows = await postgres.query<VersionFacts & { type_id: string }>(
    `SELECT v.type_id, v.version, v.example_generated, v.notes, v.compatibility, v.differences, v.published_at
       FROM event_types t
       JOIN event_type_versions v ON v.tenant = t.tenant AND v.type_id = t.id AND v.version = t.version
      WHERE t.tenant = $1 AND t.id = ANY ($2)`,
    [tenant, typeIds],
  );
  return new Map(rows.map(({ type_id: id, ...facts }) => [id, facts]));
}

/** The newest version of a type. Texts are JSON as it is stored: nobody parses it to pass it on. */
export type NewestTexts = Pick<NewVersion, 'version' | 'schema' | 'example' | 'example_generated'>;

/** @param names any names of types. @returns by these; without types that have no version */
export async function readNewest(
  postgres: Query,
  tenant: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, NewestTexts>> {
  const rows = await postgres.query<NewestTexts & { name: string }>(
    `SELECT n.name, v.version, v.schema::text AS schema, v.example::text AS example, v.example_generated
       FROM event_type_names n
       JOIN event_types t ON t.tenant = n.tenant AND t.id = n.type_id
       JOIN event_type_versions v ON v.tenant = t.tenant AND v.type_id = t.id AND v.version = t.version
      WHERE n.tenant = $1 AND n.name = ANY ($2)`,
    [tenant, names],
  );
  return new Map(rows.map(({ name, ...newest }) => [name, newest]));
}

/** The newest first. One more than the page holds. */
export const listVersions = (
  postgres: Query,
  tenant: string,
  typeId: string,
  { after, limit }: PageRequest,
): Promise<EventTypeVersion[]> =>
  postgres.query<EventTypeVersion>(
    `SELECT ${columns}
       FROM event_type_versions
      WHERE tenant = $1 AND type_id = $2 AND ($3::text IS NULL OR version < $3::integer)
      ORDER BY version DESC
      LIMIT $4`,
    [tenant, typeId, after, limit + 1],
  );

/** A version without its number, and without what it changes. */
export interface VersionContent extends Pick<EventTypeVersion, 'example_generated' | 'notes' | 'fields_truncated'> {
  /** JSON, as the example is; that is `null` if there is none. */
  schema: string;
  example: string;
  fields: readonly EventTypeField[];
}

/** A version that is published. */
export type NewVersion = VersionContent & Pick<EventTypeVersion, 'version' | 'compatibility' | 'differences'>;

export async function insertVersions(
  tx: Query,
  tenant: string,
  versions: readonly (NewVersion & { typeId: string })[],
): Promise<void> {
  await tx.query(
    `INSERT INTO event_type_versions
       (tenant, type_id, version, schema, example, example_generated, notes, compatibility, differences, fields, fields_truncated)
     SELECT $1, v."typeId", v.version, v.schema::json, v.example::json, v.example_generated, v.notes, v.compatibility, v.differences,
            v.fields, v.fields_truncated
       FROM json_to_recordset($2::json) AS v ("typeId" text, version integer, schema text, example text, example_generated boolean,
              notes text, compatibility text, differences jsonb, fields json, fields_truncated boolean)`,
    [tenant, JSON.stringify(versions)],
  );
}

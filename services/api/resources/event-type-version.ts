import type { EventTypeVersionView } from '#lib/contract';
import { withoutHidden } from '../event-types/shown-types.ts';
import type { Query } from '#lib/postgres';
import type { PageRequest } from '../http/paging.ts';

/** A row has the columns of the answer. */
export type VersionRow = EventTypeVersionView;

const columns = 'version, schema, example, example_generated, notes, compatibility, differences, published_at';

/** @param isHidden whether a name that is written is that of a type which is not shown */
export const versionJson = (row: VersionRow, isHidden: (name: string) => boolean): EventTypeVersionView => ({
  ...row,
  notes: withoutHidden(row.notes, isHidden),
});

/** @param typeId of a type of the tenant */
export async function findVersion(
  postgres: Query,
  tenant: string,
  typeId: string,
  version: number,
): Promise<VersionRow | undefined> {
  const [row] = await postgres.query<VersionRow>(
    `SELECT ${columns} FROM event_type_versions WHERE tenant = $1 AND type_id = $2 AND version = $3`,
    [tenant, typeId, version],
  );
  return row;
}

/** The newest first. One more than the page holds. */
export const listVersions = (
  postgres: Query,
  tenant: string,
  typeId: string,
  { after, limit }: PageRequest,
): Promise<VersionRow[]> =>
  postgres.query<VersionRow>(
    `SELECT ${columns}
       FROM event_type_versions
      WHERE tenant = $1 AND type_id = $2 AND ($3::text IS NULL OR version < $3::integer)
      ORDER BY version DESC
      LIMIT $4`,
    [tenant, typeId, after, limit + 1],
  );

export async function insertVersion(
  tx: Query,
  { tenant, typeId }: { tenant: string; typeId: string },
  row: Omit<VersionRow, 'published_at'>,
): Promise<void> {
  await tx.query(
    `INSERT INTO event_type_versions (tenant, type_id, version, schema, example, example_generated, notes, compatibility, differences)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      ...[tenant, typeId, row.version, JSON.stringify(row.schema), JSON.stringify(row.example), row.example_generated],
      ...[row.notes, row.compatibility, JSON.stringify(row.differences)],
    ],
  );
}

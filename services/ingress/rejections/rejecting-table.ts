import type { Query } from '#lib/postgres';

export interface SourceRef {
  tenant: string;
  id: string;
}

export interface Rejecting extends SourceRef {
  code: string;
  rejections: number;
  since: string;
}

export interface RejectingTable {
  /** Finds sources of tenants that ask, with ten rejections or more of one code in the table: the code with the most. */
  find(sources: readonly SourceRef[], withinSeconds: number): Promise<Rejecting[]>;
  /** False if another process has done so. */
  announce(source: Rejecting): Promise<boolean>;
  /** Ends what was announced, and withdraws an announcement that is not due yet. */
  withdraw(source: SourceRef): Promise<void>;
}

const leastRejections = 10;
/** Every process has read the row by then, and may have withdrawn it. */
const announcedAfterSeconds = 15;

const findSql = `
  SELECT DISTINCT ON (tenant, source_id)
         tenant, source_id AS id, code, count(*)::integer AS rejections, rfc3339(min(at)) AS since
    FROM unnest($1::text[], $2::text[]) AS suspect (tenant, source_id)
    JOIN rejections USING (tenant, source_id)
   WHERE is_asked_for(tenant, 'hookline.source.rejecting')
     AND at > clock_timestamp() - make_interval(secs => $3)
   GROUP BY tenant, source_id, code
  HAVING count(*) >= ${leastRejections}
   ORDER BY tenant, source_id, count(*) DESC, code`;

const announceSql = `
  WITH marked AS (
    UPDATE sources SET rejecting_since = clock_timestamp()
     WHERE tenant = $1 AND id = $2 AND rejecting_since IS NULL AND deleted_at IS NULL
    RETURNING name, rejecting_since)
  SELECT announce($1, 'hookline.source.rejecting', $2, rfc3339(rejecting_since), jsonb_build_object(
           'name', name, 'code', $3::text, 'rejections', $4::integer, 'since', $5::text),
           rejecting_since + interval '${announcedAfterSeconds} seconds') AS announced
    FROM marked`;

const withdrawSql = `
  WITH cleared AS (
    UPDATE sources SET rejecting_since = NULL WHERE tenant = $1 AND id = $2 AND rejecting_since IS NOT NULL RETURNING tenant, id)
  DELETE FROM announcements USING cleared
   WHERE announcements.tenant = cleared.tenant AND type = 'hookline.source.rejecting' AND subject = cleared.id
     AND due_at > clock_timestamp()`;

export const createRejectingTable = (postgres: Query): RejectingTable => ({
  find: (sources, withinSeconds) =>
    postgres.query<Rejecting>(findSql, [
      sources.map(({ tenant }) => tenant),
      sources.map(({ id }) => id),
      withinSeconds,
    ]),
  async announce({ tenant, id, code, rejections, since }) {
    const marked = await postgres.query(announceSql, [tenant, id, code, rejections, since]);
    return marked.length > 0;
  },
  async withdraw({ tenant, id }) {
    await postgres.query(withdrawSql, [tenant, id]);
  },
});

/**
 * The columns of an endpoint that tell how long it has been failing, and the announcements of that: written in one statement each, so that
 * there is no outage without its announcement, and no second announcement of one.
 */
import type { Query } from '#lib/postgres';
import { formatMicros } from '#lib/runtime';
import type { Endpoint } from '../model/endpoint.ts';

type EndpointAsSentTo = Pick<Endpoint, 'tenant' | 'id' | 'revision'>;

/** The row after the change; undefined if a user has changed or closed the endpoint since, and so nothing was written. */
type Changed = Promise<{ changed_at: string } | undefined>;

/** Instants in microseconds since the epoch. @throws AppError store_unavailable */
export interface FailingTable {
  setFailingSince(endpoint: EndpointAsSentTo, since: number | null): Changed;
  /** Only if it is asked for, and the outage has not been announced. */
  beginOutage(endpoint: EndpointAsSentTo, facts: { since: number; failedAttempts: number }): Changed;
  endOutage(endpoint: EndpointAsSentTo): Changed;
  announceDisabling(endpoint: EndpointAsSentTo, facts: { since: number; disablingAt: number }): Promise<void>;
}

const ofEndpoint = 'tenant = $1 AND id = $2 AND revision = $3 AND disabled_at IS NULL AND deleted_at IS NULL';

const setFailingSince = `
  UPDATE endpoints SET failing_since = $4, changed_at = clock_timestamp() WHERE ${ofEndpoint} RETURNING changed_at`;

const beginOutage = `
  WITH failing AS (
    UPDATE endpoints SET outage_since = $4::timestamptz, changed_at = clock_timestamp()
     WHERE ${ofEndpoint} AND outage_since IS NULL AND is_asked_for($1, 'hookline.endpoint.failing')
    RETURNING changed_at, url)
  SELECT changed_at,
         announce($1, 'hookline.endpoint.failing', $2, rfc3339($4), jsonb_build_object(
           'url', url, 'failing_since', rfc3339($4), 'failed_attempts', $5::integer))
    FROM failing`;

const endOutage = `
  WITH before AS (
    SELECT outage_since, url FROM endpoints WHERE ${ofEndpoint} AND outage_since IS NOT NULL FOR UPDATE),
  recovered AS (
    UPDATE endpoints SET failing_since = NULL, outage_since = NULL, changed_at = clock_timestamp()
      FROM before
     WHERE tenant = $1 AND id = $2
    RETURNING changed_at, before.url, before.outage_since)
  SELECT changed_at,
         announce($1, 'hookline.endpoint.recovered', $2, rfc3339(outage_since), jsonb_build_object(
           'url', url, 'failing_since', rfc3339(outage_since), 'recovered_at', rfc3339(changed_at)))
    FROM recovered`;

const announceDisabling = `
  SELECT announce($1, 'hookline.endpoint.disabling_soon', $2, rfc3339($4), jsonb_build_object(
           'url', url, 'failing_since', rfc3339($4), 'disabling_at', $5::text))
    FROM endpoints
   WHERE ${ofEndpoint} AND failing_since = $4::timestamptz`;

export function createFailingTable(postgres: Query): FailingTable {
  const change = async ({ tenant, id, revision }: EndpointAsSentTo, text: string, values: unknown[] = []): Changed => {
    const [row] = await postgres.query<{ changed_at: string }>(text, [tenant, id, revision, ...values]);
    return row;
  };
  return {
    setFailingSince: (endpoint, since) =>
      change(endpoint, setFailingSince, [since === null ? null : formatMicros(since)]),
    beginOutage: (endpoint, { since, failedAttempts }) =>
      change(endpoint, beginOutage, [formatMicros(since), failedAttempts]),
    endOutage: (endpoint) => change(endpoint, endOutage),
    async announceDisabling(endpoint, { since, disablingAt }) {
      await change(endpoint, announceDisabling, [formatMicros(since), formatMicros(disablingAt)]);
    },
  };
}

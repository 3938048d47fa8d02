import type { Query } from '#lib/postgres';
import { formatMicros, type Logger, toAppError } from '#lib/runtime';
import type { DispatcherMetrics } from '../metrics.ts';
import type { Endpoint } from '../model/endpoint.ts';

/** Why an endpoint is disabled: it answered 410 (`gone`), or took nothing since a time (`failing`). */
type GivenUp = { reason: 'gone' } | { reason: 'failing'; since: number };

/**
 * Disables the endpoint in the revision that was sent to; if a user has changed it since, it is left alone. True when that is settled;
 * false if the write failed: call again. Never throws.
 */
export type DisableEndpoint = (
  endpoint: Pick<Endpoint, 'tenant' | 'id' | 'revision'>,
  why: GivenUp,
) => Promise<boolean>;

interface Deps {
  postgres: Query;
  metrics: Pick<DispatcherMetrics, 'endpointDisabled'>;
  log: Logger;
}

/**
 * The announcement is written in the same statement. It is due only when every process knows that the endpoint is disabled, so that it
 * doesn't get the event about itself.
 */
export function createDisableEndpoint({ postgres, metrics, log }: Deps): DisableEndpoint {
  return async ({ tenant, id, revision }, why) => {
    const { reason } = why;
    const since = why.reason === 'failing' ? formatMicros(why.since) : null;
    try {
      const disabled = await postgres.query(
        `WITH disabled AS (
           UPDATE endpoints
              SET disabled_at = clock_timestamp(), changed_at = clock_timestamp(), disabled_reason = $4
            WHERE tenant = $1 AND id = $2 AND revision = $3 AND disabled_at IS NULL AND deleted_at IS NULL
              AND ($5::timestamptz IS NULL OR failing_since = $5)
           RETURNING disabled_at, effective_at, url)
         SELECT announce(
                  $1, 'hookline.endpoint.disabled', $2, concat($3::integer, '/', rfc3339(disabled_at)),
                  jsonb_strip_nulls(jsonb_build_object(
                    'url', url, 'reason', $4::text, 'failing_since', rfc3339($5), 'disabled_at', rfc3339(disabled_at))),
                  effective_at)
           FROM disabled`,
        [tenant, id, revision, reason, since],
      );
      if (disabled.length > 0) {
        metrics.endpointDisabled(reason);
        log.warn({ event: 'endpoint.disabled', tenant, endpointId: id, reason, ...(since !== null && { since }) });
      }
      return true;
    } catch (error) {
      log.warn({ event: 'endpoint.not_disabled', tenant, endpointId: id, reason, err: toAppError(error) });
      return false;
    }
  };
}

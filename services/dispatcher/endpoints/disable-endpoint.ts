import { formatMicros } from '#lib/clock';
import { toAppError } from '#lib/errors';
import type { Logger } from '#lib/log';
import type { Query } from '#lib/postgres';
import type { Endpoint } from '../model/endpoint.ts';
import type { DispatcherMetrics } from '../metrics.ts';

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

/** The announcement is written in the same statement: see announce-disablings.ts. */
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
           RETURNING disabled_at, url)
         INSERT INTO disablings (tenant, endpoint_id, disabled_at, revision, url, reason, failing_since)
         SELECT $1, $2, disabled_at, $3, url, $4, $5 FROM disabled
         RETURNING endpoint_id`,
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

import { toAppError } from '#lib/errors';
import type { Logger } from '#lib/log';
import type { Query } from '#lib/postgres';
import type { Endpoint } from './endpoint.ts';

/** Resolves in any case: where it could not be written, the next delivery is answered 410 too. */
export type DisableEndpoint = (endpoint: Endpoint) => Promise<void>;

/** For an endpoint that answered 410, as it was when it was sent to: what a person has changed since then is not touched. */
export function createDisableEndpoint({ postgres, log }: { postgres: Query; log: Logger }): DisableEndpoint {
  return async ({ tenant, id, revision }) => {
    try {
      const disabled = await postgres.query(
        `UPDATE endpoints
            SET disabled_at = clock_timestamp(), changed_at = clock_timestamp(), disabled_reason = 'gone'
          WHERE tenant = $1 AND id = $2 AND revision = $3 AND disabled_at IS NULL AND deleted_at IS NULL
        RETURNING id`,
        [tenant, id, revision],
      );
      if (disabled.length > 0) log.warn({ event: 'endpoint.disabled', tenant, endpointId: id, reason: 'gone' });
    } catch (error) {
      log.warn({ event: 'endpoint.not_disabled', tenant, endpointId: id, err: toAppError(error) });
    }
  };
}

import type { Attempt } from '#lib/api-contract';
import {
  answeredHeadersFor,
  type AttemptTiming,
  detailFor,
  type HeaderViewer,
  sendColumns,
  type SendFields,
  sentHeadersFor,
  type StepFields,
  timingColumns,
} from '#lib/contract';
import type { Query } from '#lib/postgres';
import { formatMicros, timeOfId } from '#lib/runtime';
import type { PageRequest } from '../http/paging.ts';

/** Where nothing was sent, the request is null, and with it the timing. */
export interface AttemptRow
  extends Pick<StepFields, 'step' | 'attempt' | 'detail'>, Omit<SendFields, 'timing'>, AttemptTiming {
  at: string;
}

const attemptColumns = ['step', 'attempt', 'at', 'detail', ...Object.keys(sendColumns), ...Object.keys(timingColumns)];

/** The attempt as this client sees it. */
export function attemptOf(row: AttemptRow, viewer: HeaderViewer): Attempt {
  const { request, response_headers: answered, response_excerpt: excerpt } = row;
  const { dns_ms, connect_ms, tls_ms, first_byte_ms, body_ms } = row;
  const text = excerpt === null ? null : excerptText(excerpt);
  return {
    attempt: row.attempt,
    at: row.at,
    outcome: row.outcome,
    http_status: row.http_status,
    duration_ms: row.duration_ms,
    detail: detailFor(viewer, row.detail),
    request: request && { ...request, headers: sentHeadersFor(viewer, request.headers) },
    response_headers: answered && answeredHeadersFor(viewer, answered),
    response_excerpt: text ?? excerpt?.toString('base64') ?? null,
    response_excerpt_encoding: text === undefined ? 'base64' : 'text',
    timing: request && { dns_ms, connect_ms, tls_ms, first_byte_ms, body_ms },
  };
}

/** @returns undefined if it is not UTF-8; a last character that the excerpt cuts is left out */
export function excerptText(excerpt: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(excerpt, { stream: true });
  } catch {
    return undefined;
  }
}

/** The partition with a delivery's attempts; null if its id doesn't tell. */
export function deliveryAt(deliveryId: string): string | null {
  const ms = timeOfId(deliveryId);
  return ms === undefined ? null : formatMicros(ms * 1000);
}

export function listAttempts(
  postgres: Query,
  tenant: string,
  deliveryId: string,
  { after, limit }: PageRequest,
): Promise<AttemptRow[]> {
  return postgres.query<AttemptRow>(
    `SELECT ${attemptColumns.join(', ')}
       FROM attempts
      WHERE tenant = $1 AND delivery_id = $2 AND ($3::int IS NULL OR step > $3)
        AND ($5::timestamptz IS NULL OR delivery_at = $5)
      ORDER BY step
      LIMIT $4`,
    [tenant, deliveryId, after, limit + 1, deliveryAt(deliveryId)],
  );
}

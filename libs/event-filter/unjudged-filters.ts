/**
 * Reports endpoints that get events without their filters: a counter and a log line for the operator, and a row for the endpoint's owner,
 * shown as `filter_unjudged`.
 */
import type { Query } from '#lib/postgres';
import type { Clock, Logger } from '#lib/runtime';
import { type Metrics, type MetricTable, registerMetrics } from '#lib/telemetry';
import type { Taker, UnjudgedReason } from './match-in-turns.ts';

export const filterMetrics = {
  unjudged: {
    kind: 'counter',
    name: 'hookline_filters_unjudged_total',
    help: 'Deliveries made although the endpoint’s filter could not be evaluated: `payload`: too large or too deep; `filter_steps`: the filter is too expensive; `event_steps`: all filters of the tenant together are too expensive',
    unit: 'deliveries',
    labels: { reason: ['payload', 'filter_steps', 'event_steps'] },
  },
} satisfies MetricTable;

export interface UnjudgedFilters {
  note(event: { tenant: string; eventId: string }, takers: readonly Taker<{ id: string }>[]): void;
  /** Writes the rows. @throws AppError store_unavailable; the next call writes the rest */
  settle(): Promise<void>;
}

interface Deps {
  postgres: Query;
  metrics: Metrics;
  clock: Clock;
  log: Logger;
}

interface Row {
  tenant: string;
  endpointId: string;
  reason: UnjudgedReason;
}

/** An endpoint's row has a resolution of a minute: one write a minute for any number of events. */
const rewriteMs = 60_000;
/** Endpoints remembered at once; rows of further ones are written later. */
const maxRows = 10_000;
const rowsAtOnce = 500;

export function createUnjudgedFilters({ postgres, metrics, clock, log }: Deps): UnjudgedFilters {
  const { unjudged } = registerMetrics(filterMetrics, metrics);
  const toWrite = new Map<string, Row>();
  const writtenAtMs = new Map<string, number>();

  function remember(row: Row): void {
    const key = `${row.tenant}/${row.endpointId}`;
    const writtenMs = writtenAtMs.get(key);
    const isRecent = writtenMs !== undefined && clock.monotonicMs() - writtenMs < rewriteMs;
    if (!isRecent && toWrite.size < maxRows) toWrite.set(key, row);
  }

  async function write(rows: readonly Row[]): Promise<void> {
    await postgres.query(
      `INSERT INTO unjudged_filters (tenant, endpoint_id, reason, at)
       SELECT tenant, endpoint_id, reason, clock_timestamp()
         FROM unnest($1::text[], $2::text[], $3::text[]) AS given (tenant, endpoint_id, reason)
        ORDER BY tenant, endpoint_id
       ON CONFLICT (tenant, endpoint_id) DO UPDATE SET reason = EXCLUDED.reason, at = EXCLUDED.at`,
      [rows.map(({ tenant }) => tenant), rows.map(({ endpointId }) => endpointId), rows.map(({ reason }) => reason)],
    );
  }

  return {
    note({ tenant, eventId }, takers) {
      let endpoints = 0;
      let first: Row | undefined;
      for (const { candidate, unjudged: reason } of takers) {
        if (reason === undefined) continue;
        const row = { tenant, endpointId: candidate.id, reason };
        endpoints += 1;
        first ??= row;
        unjudged.inc({ reason });
        remember(row);
      }
      if (first === undefined) return;
      const { endpointId: firstEndpointId, reason } = first;
      log.info({ event: 'filters.unjudged', tenant, eventId, endpoints, firstEndpointId, reason });
    },
    async settle() {
      const nowMs = clock.monotonicMs();
      for (const [key, atMs] of writtenAtMs) if (nowMs - atMs >= rewriteMs) writtenAtMs.delete(key);
      for (const entries of inChunks([...toWrite], rowsAtOnce)) {
        await write(entries.map(([, row]) => row));
        for (const [key] of entries) {
          toWrite.delete(key);
          writtenAtMs.set(key, nowMs);
        }
      }
    },
  };
}

function* inChunks<T>(items: readonly T[], size: number): Iterable<T[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}

/**
 * Writes down which circuit breakers are not closed, for `GET /v1/endpoints/{id}/health`: when one changes, and again each minute while its
 * endpoint is sent to. The breaker itself is in memory; a row that nobody has written for minutes says nothing.
 *
 * Best effort: of an outage of Postgres only the last state is written, and what has no room is left out.
 */
import type { Query } from '#lib/postgres';
import { type Clock, formatMicros, nowMicros } from '#lib/runtime';
import { type EndpointRef, laneKey } from '../model/job.ts';
import type { Standing } from './endpoint-health.ts';

interface BreakerReports {
  observe(endpoint: EndpointRef, kind: Standing['kind']): void;
  /** @throws AppError store_unavailable; the next call writes the rest */
  settle(): Promise<void>;
}

interface Report extends EndpointRef {
  state: ReportedState;
  since: string;
  writtenAtMs: number;
}

type ReportedState = 'closed' | 'open' | 'half_open';

const rewriteMs = 60_000;
/** As many as endpoint-health.ts remembers. */
const maxReports = 10_000;
const rowsAtOnce = 500;

const write = `
  INSERT INTO endpoint_breakers AS known (tenant, endpoint_id, state, since, observed_at)
  SELECT tenant, endpoint_id, state, since, clock_timestamp()
    FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[]) AS given (tenant, endpoint_id, state, since)
   ORDER BY tenant, endpoint_id
  ON CONFLICT (tenant, endpoint_id) DO UPDATE
     SET state = EXCLUDED.state, since = EXCLUDED.since, observed_at = EXCLUDED.observed_at`;

const remove = `
  DELETE FROM endpoint_breakers b
   USING unnest($1::text[], $2::text[]) AS closed (tenant, endpoint_id)
   WHERE b.tenant = closed.tenant AND b.endpoint_id = closed.endpoint_id`;

export function createBreakerReports({ postgres, clock }: { postgres: Query; clock: Clock }): BreakerReports {
  /** Breakers that are not closed, and closed ones until they are written. */
  const reports = new Map<string, Report>();
  const toWrite = new Set<string>();

  async function writeSome(keys: readonly string[]): Promise<void> {
    const some = keys.flatMap((key) => reports.get(key) ?? []);
    const [closed, others] = [some.filter(isClosed), some.filter((report) => !isClosed(report))];
    const names = (of: readonly Report[]) => [of.map(({ tenant }) => tenant), of.map(({ endpointId }) => endpointId)];
    if (others.length > 0)
      await postgres.query(write, [
        ...names(others),
        others.map(({ state }) => state),
        others.map(({ since }) => since),
      ]);
    if (closed.length > 0) await postgres.query(remove, names(closed));
    for (const key of keys) {
      const report = reports.get(key);
      // One that has changed meanwhile is written again.
      if (report === undefined || !some.includes(report)) continue;
      toWrite.delete(key);
      report.writtenAtMs = clock.monotonicMs();
      if (isClosed(report)) reports.delete(key);
    }
  }

  return {
    observe({ tenant, endpointId }, kind) {
      const key = laneKey({ tenant, endpointId });
      const state = stateOf(kind);
      const known = reports.get(key);
      if (known?.state === state) {
        if (clock.monotonicMs() - known.writtenAtMs >= rewriteMs) toWrite.add(key);
        return;
      }
      if (known === undefined && (state === 'closed' || reports.size >= maxReports)) return;
      reports.set(key, { tenant, endpointId, state, since: formatMicros(nowMicros(clock)), writtenAtMs: 0 });
      toWrite.add(key);
    },
    async settle() {
      const keys = [...toWrite];
      for (let from = 0; from < keys.length; from += rowsAtOnce) await writeSome(keys.slice(from, from + rowsAtOnce));
    },
  };
}

const isClosed = ({ state }: Report): boolean => state === 'closed';

function stateOf(kind: Standing['kind']): ReportedState {
  if (kind === 'open' || kind === 'probe') return 'open';
  return kind === 'half-open' ? 'half_open' : 'closed';
}

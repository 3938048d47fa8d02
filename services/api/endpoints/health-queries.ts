/**
 * How an endpoint does, put together from what is bounded: the breaker as its owner last told, the minutes of the statistics, its last deliveries
 * with their attempts, and its waiting rows, which are counted up to a number. What nobody knows is null.
 */
import type { EndpointHealth } from '#lib/api-contract';
import { type DeliveryStatus, deliveryStatuses, type WaitingStatus, waitingStatuses } from '#lib/contract';
import { sqlStatus } from '#lib/event-store';
import type { Query } from '#lib/postgres';
import { deliveryAt, excerptText } from '../deliveries/index.ts';
import type { Named } from '../resources/resource-table.ts';

export interface Success {
  attempts: number;
  delivered: number;
}

export type LastSend = NonNullable<EndpointHealth['last_failure']>;

export interface Waiting {
  /** Up to `maxCounted`. */
  states: Record<WaitingStatus, number>;
  total: number;
  oldest: string | null;
}

/** Deliveries of which attempts are looked at, and that are gone through to find them, of each status. */
const maxDeliveries = 200;
const maxLookedAt = 400;
/** Statuses of deliveries that may have been sent. */
const sentStatuses = deliveryStatuses.filter((status) => status !== 'pending');
/** The newest of a status, which an index has in the order of their ids: by their last change there is none. */
const newestOf = (status: DeliveryStatus): string => `
  (SELECT id, attempts, created_at, updated_at FROM deliveries
    WHERE tenant = $1 AND endpoint_id = $2 AND status = ${sqlStatus(status)}
    ORDER BY id DESC
    LIMIT ${maxLookedAt})`;
export const maxCounted = 100_000;
/** A breaker is told again each minute while its endpoint is sent to. */
const toldWithinMinutes = 3;

export async function findBreaker(
  postgres: Query,
  { tenant, id }: Named,
): Promise<NonNullable<EndpointHealth['breaker']> | undefined> {
  // Without a row it is closed, if there is a dispatcher that would have told.
  const [row] = await postgres.query<NonNullable<EndpointHealth['breaker']>>(
    `SELECT coalesce(b.state, 'closed') AS state, b.since
       FROM (SELECT) AS one
       LEFT JOIN endpoint_breakers b ON b.tenant = $1 AND b.endpoint_id = $2
      WHERE CASE WHEN b.state IS NULL
                 THEN EXISTS (SELECT FROM processes WHERE service = 'dispatcher' AND beat_at > clock_timestamp() - interval '1 minute')
                 ELSE b.observed_at > clock_timestamp() - interval '${toldWithinMinutes} minutes' END`,
    [tenant, id],
  );
  return row;
}

/** @param since of the statistics, in microseconds; null where they do not reach back so far */
export async function findSuccess(
  postgres: Query,
  { tenant, id }: Named,
  { hourAgo, dayAgo }: { hourAgo: string; dayAgo: string },
): Promise<{ hour: Success; day: Success; lastMinute: number }> {
  const [row] = await postgres.query<
    Record<'hour' | 'hour_delivered' | 'day' | 'day_delivered' | 'last_minutes', string>
  >(
    `SELECT coalesce(sum(delivered + failed) FILTER (WHERE at >= $3), 0) AS hour,
            coalesce(sum(delivered) FILTER (WHERE at >= $3), 0) AS hour_delivered,
            coalesce(sum(delivered + failed), 0) AS day,
            coalesce(sum(delivered), 0) AS day_delivered,
            coalesce(sum(delivered) FILTER (WHERE at >= clock_timestamp() - interval '6 minutes'
                                              AND at < date_trunc('minute', clock_timestamp())), 0) AS last_minutes
       FROM stats
      WHERE tenant = $1 AND dimension = 'endpoint' AND step = 'minute' AND key = $2 AND at >= $4`,
    [tenant, id, hourAgo, dayAgo],
  );
  const of = (attempts = '0', delivered = '0') => ({ attempts: Number(attempts), delivered: Number(delivered) });
  return {
    hour: of(row?.hour, row?.hour_delivered),
    day: of(row?.day, row?.day_delivered),
    lastMinute: Number(row?.last_minutes ?? 0) / 5,
  };
}

export interface RecentAttempt extends LastSend {
  delivery_id: string;
  duration_ms: number | null;
  /** The beginning of the body that came back. */
  excerpt: Buffer | null;
}

/** Characters of a body that tell what is wrong. */
const excerptBytes = 300;

/** Attempts of the deliveries that changed last, among the newest of each status; the newest first. */
export async function findRecentAttempts(postgres: Query, { tenant, id }: Named): Promise<RecentAttempt[]> {
  const deliveries = await postgres.query<{ id: string; created_at: string }>(
    `SELECT id, created_at
       FROM (${sentStatuses.map(newestOf).join(' UNION ALL ')}) AS last
      WHERE attempts > 0
      ORDER BY updated_at DESC
      LIMIT ${maxDeliveries}`,
    [tenant, id],
  );
  if (deliveries.length === 0) return [];
  return postgres.query<RecentAttempt>(
    `SELECT d.id AS delivery_id, a.at, a.outcome, a.http_status, a.detail, a.duration_ms,
            substring(a.response_excerpt FROM 1 FOR ${excerptBytes}) AS excerpt
       FROM unnest($2::text[], $3::timestamptz[]) AS d (id, delivery_at)
      CROSS JOIN LATERAL (
        SELECT at, outcome, http_status, detail, duration_ms, response_excerpt
          FROM attempts
         WHERE tenant = $1 AND delivery_id = d.id AND delivery_at = d.delivery_at
         ORDER BY step DESC
         LIMIT 10) AS a
      ORDER BY a.at DESC`,
    [
      tenant,
      deliveries.map((delivery) => delivery.id),
      deliveries.map(({ id: each, created_at }) => deliveryAt(each) ?? created_at),
    ],
  );
}

/** The last minute in which something was delivered, or an attempt failed, as far as minutes are kept. */
export async function findLastMinutes(
  postgres: Query,
  { tenant, id }: Named,
): Promise<{ delivered: string | null; failed: string | null }> {
  const [row] = await postgres.query<{ delivered: string | null; failed: string | null }>(
    `SELECT max(at) FILTER (WHERE delivered > 0) AS delivered, max(at) FILTER (WHERE failed > 0) AS failed
       FROM stats
      WHERE tenant = $1 AND dimension = 'endpoint' AND step IN ('minute', 'hour', 'day') AND key = $2`,
    [tenant, id],
  );
  return row ?? { delivered: null, failed: null };
}

/** An endpoint's rows are in one partition; which one only the rows tell. */
export async function findWaiting(postgres: Query, { tenant, id }: Named): Promise<Waiting> {
  const rows = await postgres.query<{ state: WaitingStatus; rows: number; oldest: string | null }>(
    `WITH RECURSIVE part AS (
       (SELECT partition FROM waiting ORDER BY partition LIMIT 1)
       UNION ALL
       SELECT next.partition
         FROM part
        CROSS JOIN LATERAL (
          SELECT w.partition FROM waiting w WHERE w.partition > part.partition ORDER BY w.partition LIMIT 1) AS next
     )
     SELECT found.state, count(*)::int AS rows, min(found.created_at) AS oldest
       FROM part
      CROSS JOIN LATERAL (
        SELECT state, created_at FROM waiting w
         WHERE w.partition = part.partition AND w.tenant = $1 AND w.endpoint_id = $2
         ORDER BY w.created_at
         LIMIT ${maxCounted}) AS found
      GROUP BY found.state`,
    [tenant, id],
  );
  const of = (state: WaitingStatus): number => rows.find((row) => row.state === state)?.rows ?? 0;
  const oldest = rows.map((row) => row.oldest ?? '').filter((at) => at !== '');
  return {
    states: Object.fromEntries(waitingStatuses.map((state) => [state, of(state)])) as Waiting['states'],
    total: rows.reduce((sum, row) => sum + row.rows, 0),
    oldest: oldest.sort()[0] ?? null,
  };
}

/** Failed attempts that came to the same: the outcome, and the status of the answer. */
type AnswerGroup = EndpointHealth['failures'][number];

const mostGroups = 10;

/** @param attempts the newest first. @returns the largest groups of those that failed, the largest first */
export function answerGroups(attempts: readonly RecentAttempt[]): AnswerGroup[] {
  const groups = new Map<string, AnswerGroup>();
  for (const { outcome, http_status, at, detail, excerpt, delivery_id } of attempts) {
    if (outcome === null || outcome === 'delivered') continue;
    const key = `${outcome}/${http_status}`;
    const group = groups.get(key);
    if (group !== undefined) Object.assign(group, { attempts: group.attempts + 1, first_at: at });
    else
      groups.set(key, {
        outcome,
        http_status,
        attempts: 1,
        first_at: at,
        last_at: at,
        detail,
        delivery_id,
        response_excerpt: excerpt === null ? null : (excerptText(excerpt) ?? null),
      });
  }
  return [...groups.values()].toSorted((a, b) => b.attempts - a.attempts).slice(0, mostGroups);
}

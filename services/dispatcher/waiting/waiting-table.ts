/**
 * Reads and clears the table `waiting` for the owner of a partition. The projector writes its rows.
 *
 * The cost of a read depends on the lanes with rows, not on the rows: it takes from each lane no more than the lane has room for, and skips
 * full lanes. A backlog of a million rows of one endpoint neither slows the read nor hides the rows of others.
 *
 * Tenants come before lanes. Each gets no more rows than it has room for, and no more of a partition than its part in one read; if it has
 * more, its read ends early, and the next one resumes after the lane where this one ended (lane-starts.ts). Rows are taken from the tenants
 * in turns, so a tenant with the oldest million rows does not hide others either.
 */
import { type EventRequest, type Trail, trailOf, type WaitingStatus } from '#lib/contract';
import type { StoredWaitingRow } from '#lib/event-store';
import type { Query } from '#lib/postgres';
import { formatMicros, microsOf } from '#lib/runtime';
import type { LaneCapacity, TenantCapacity } from '../lanes/waiting-capacity.ts';
import type { EventContent } from '../model/event-content.ts';
import { laneKey } from '../model/job.ts';
import { waitingColumns, type WaitingRow, waitingRowOf } from '../model/waiting-row.ts';
import { lanesOfTenant, tenantsWithRows } from './lanes-with-rows.ts';
import { hasPayload, hasRowEnded, itsPayload, payloadBytesOfRow } from './row-conditions.ts';

/** In the partition, the tenant's lanes are read from behind this one on. */
export interface LaneStart {
  partition: number;
  tenant: string;
  endpointId: string;
}

export interface DueQuestion {
  partitions: readonly number[];
  /** In microseconds. */
  now: number;
  /** Places in a lane, and for a tenant. */
  perLane: number;
  perTenant: number;
  /** Tenants that have fewer. */
  tenants: readonly TenantCapacity[];
  starts: readonly LaneStart[];
  /** The most rows of one tenant from one partition. */
  perPartition: number;
  /** Lanes with less room than the default; lanes that probe their endpoint take the next ordered row before it is due. */
  lanes: readonly LaneCapacity[];
  /** Deliveries in hand, whose rows still stand. */
  except: readonly { tenant: string; id: string }[];
  limit: number;
}

export interface DueRow extends WaitingRow {
  payloadBytes: number;
  /** The tables know that its delivery has ended: only of ordered rows, which the projector does not remove. */
  ended: boolean;
  /** The last lane that was read in its tenant and partition, if more may be due after it. */
  readTo?: string;
}

export interface AskedContent {
  tenant: string;
  eventId: string;
  /** An endpoint asks for headers of the request. */
  withRequest?: boolean;
}

interface ServedStep {
  tenant: string;
  deliveryId: string;
  step: number;
}

export interface WaitingTable {
  /**
   * Due rows, of each tenant the oldest first, and the tenants in turns. Rows of an endpoint that was deleted or disabled are due at once, those of
   * a paused one are not due. Rows whose delivery has ended (but for ordered ones, which this read is to remove), or whose event is not in the
   * tables yet, are left out.
   */
  due(question: DueQuestion): Promise<DueRow[]>;
  contents(events: readonly AskedContent[]): Promise<EventContent[]>;
  /** Up to this step: a later row stays. @returns those that stay because they are locked */
  remove(rows: readonly ServedStep[]): Promise<{ tenant: string; deliveryId: string }[]>;
  /** Exact for small numbers, else sampled. */
  count(partitions: readonly number[]): Promise<{ retrying: number; parked: number }>;
}

/**
 * Conditions on a row read that row alone (row-conditions.ts). Facts about lanes come as one JSON object, looked up by a lane's name: a joined
 * list would be gone through for each lane.
 */
const dueRows = `
  SELECT due.*
    FROM (
      SELECT found.*, row_number() OVER (PARTITION BY found.tenant ORDER BY found.due_at) AS turn
        FROM unnest($1::int[]) AS owned (partition)
       CROSS JOIN LATERAL (
         WITH RECURSIVE ${tenantsWithRows}
         SELECT given.*, share.room AS tenant_room,
                CASE WHEN count(*) OVER (PARTITION BY holder.tenant) >= share.here
                     THEN max(given.endpoint_id) OVER (PARTITION BY holder.tenant) END AS read_to
           FROM holder
           LEFT JOIN unnest($3::text[], $4::int[], $9::int[]) AS known (tenant, room, per_lane) USING (tenant)
           LEFT JOIN unnest($10::int[], $11::text[], $12::text[]) AS start (partition, tenant, endpoint_id)
             ON start.partition = owned.partition AND start.tenant = holder.tenant
          CROSS JOIN LATERAL (
            SELECT coalesce(known.room, $13) AS room, least(coalesce(known.room, $13), $14) AS here,
                   coalesce(known.per_lane, $7) AS per_lane) AS share
          CROSS JOIN LATERAL (
            WITH RECURSIVE ${lanesOfTenant}
            SELECT rows.*
              FROM lane
             CROSS JOIN LATERAL (
               SELECT (told.lane ->> 'room')::int AS room, (told.lane ->> 'early')::boolean AS early
                 FROM (SELECT $2::jsonb -> (holder.tenant || '/' || lane.endpoint_id) AS lane) AS told) AS busy
              LEFT JOIN endpoints ep ON ep.tenant = holder.tenant AND ep.id = lane.endpoint_id
             CROSS JOIN LATERAL (
               SELECT ${waitingColumns}, row_number() OVER (ORDER BY w.due_at) AS place,
                      ${payloadBytesOfRow} AS payload_bytes, ${hasRowEnded} AS ended
                 FROM waiting w
                WHERE w.partition = owned.partition AND w.tenant = holder.tenant AND w.endpoint_id = lane.endpoint_id
                  AND w.due_at <= CASE WHEN ep.deleted_at IS NOT NULL OR ep.disabled_at IS NOT NULL THEN 'infinity'
                                       WHEN ep.paused_until > $5 THEN '-infinity'
                                       WHEN busy.early THEN '9999-01-01'
                                       ELSE $5::timestamptz END
                  AND (w.due_at <= $5 OR busy.early IS NOT TRUE
                       OR (w.ordering_key IS NOT NULL AND coalesce(w.not_before, '-infinity') <= $5))
                  AND w.tenant || '/' || w.delivery_id <> ALL ($6::text[])
                  AND CASE WHEN w.ordering_key IS NULL THEN ${hasPayload} AND NOT ${hasRowEnded}
                           ELSE ${hasPayload} OR ${hasRowEnded} END
                ORDER BY w.due_at
                LIMIT $7) AS rows
             WHERE coalesce(busy.room, share.per_lane) > 0 AND rows.place <= coalesce(busy.room, share.per_lane)
             LIMIT share.here) AS given
       ) AS found
    ) AS due
   WHERE due.turn <= due.tenant_room
   ORDER BY due.turn, due.due_at
   LIMIT $8`;

/** Asked first after a read that found none: planning `dueRows` takes 3 ms, and would each second of a night without retries. */
const anyRow = 'SELECT FROM waiting WHERE partition = ANY ($1::int[]) LIMIT 1';

const eventContents = `
  SELECT e.tenant, e.id, e.source_id, e.type, e.received_at, e.ordering_key, e.traceparent, p.content_type,
         p.content_encoding, p.body, CASE WHEN wanted.with_request THEN p.request END AS request,
         CASE WHEN position('"trail":' IN p.request::text) > 0 THEN p.request -> 'trail' END AS trail
    FROM unnest($1::text[], $2::text[], $3::boolean[]) AS wanted (tenant, id, with_request)
    JOIN events e ON e.tenant = wanted.tenant AND e.id = wanted.id
   CROSS JOIN ${itsPayload} AS p`;

/**
 * Locked in the projector's order, which writes and removes rows too. A row that somebody else has locked stays: to wait for it would hold up
 * the rows of all tenants.
 */
const removeRows = `
  WITH done AS MATERIALIZED (
    SELECT r.tenant, r.delivery_id
      FROM unnest($1::text[], $2::text[], $3::int[]) AS served (tenant, delivery_id, step)
      JOIN waiting r ON r.tenant = served.tenant AND r.delivery_id = served.delivery_id AND r.step <= served.step
  ), free AS MATERIALIZED (
    SELECT r.tenant, r.delivery_id
      FROM unnest($1::text[], $2::text[], $3::int[]) AS served (tenant, delivery_id, step)
      JOIN waiting r ON r.tenant = served.tenant AND r.delivery_id = served.delivery_id AND r.step <= served.step
     ORDER BY r.tenant, r.delivery_id
       FOR UPDATE OF r SKIP LOCKED
  ), removed AS (
    DELETE FROM waiting w
     USING free
     WHERE w.tenant = free.tenant AND w.delivery_id = free.delivery_id
  )
  SELECT tenant, delivery_id FROM done
  EXCEPT
  SELECT tenant, delivery_id FROM free`;

/**
 * Pages that are sampled of a larger table; the rest is taken to be like them, within some per cent. To count ten
 * million rows takes seconds, in which nothing that is due is read.
 */
const countedPages = 1_000;

const countByState = `
  SELECT counted.state, (count(*) / min(pages.share))::int AS rows
    FROM (SELECT least(1, $2 * current_setting('block_size')::float8 / greatest(1, pg_relation_size('waiting'))) AS share) AS pages
   CROSS JOIN LATERAL (
     SELECT state FROM waiting TABLESAMPLE SYSTEM (100 * pages.share) WHERE partition = ANY ($1::int[])) AS counted
   GROUP BY counted.state`;

interface RawDueRow extends StoredWaitingRow {
  payload_bytes: number;
  ended: boolean;
  read_to: string | null;
}

interface RawContent {
  tenant: string;
  id: string;
  source_id: string;
  type: string;
  received_at: string;
  ordering_key: string | null;
  traceparent: string;
  content_type: string;
  content_encoding: string | null;
  body: Buffer;
  request: EventRequest | null;
  /** Null for none: few have one, and JSON is parsed for those alone. */
  trail: Trail | null;
}

/** @param indexScanPool has the settings of lanes-with-rows.ts */
export function createWaitingTable(postgres: Query, indexScanPool: Query): WaitingTable {
  let foundNone = false;
  return {
    async due({ partitions, now, perLane, perTenant, perPartition, tenants, starts, lanes, except, limit }) {
      if (foundNone && (await indexScanPool.query(anyRow, [partitions], 'any-waiting')).length === 0) return [];
      const values = [
        partitions,
        JSON.stringify(
          Object.fromEntries(lanes.map((lane) => [laneKey(lane), { room: lane.room, early: lane.early }])),
        ),
        tenants.map(({ tenant }) => tenant),
        tenants.map(({ room }) => room),
        formatMicros(now),
        except.map(({ tenant, id }) => `${tenant}/${id}`),
        perLane,
        limit,
        tenants.map((tenant) => tenant.perLane),
        starts.map(({ partition }) => partition),
        starts.map(({ tenant }) => tenant),
        starts.map(({ endpointId }) => endpointId),
        perTenant,
        perPartition,
      ];
      // Not prepared: the planner must see how few rows are wanted.
      const rows = await indexScanPool.query<RawDueRow>(dueRows, values);
      foundNone = rows.length === 0;
      return rows.map((row) => ({
        ...waitingRowOf(row),
        payloadBytes: row.payload_bytes,
        ended: row.ended,
        ...(row.read_to !== null && { readTo: row.read_to }),
      }));
    },
    async contents(events) {
      const values = [
        events.map(({ tenant }) => tenant),
        events.map(({ eventId }) => eventId),
        events.map(({ withRequest = false }) => withRequest),
      ];
      const rows = await postgres.query<RawContent>(eventContents, values, 'event-contents');
      return rows.map((row) => ({
        tenant: row.tenant,
        eventId: row.id,
        type: row.type,
        receivedAt: microsOf(row.received_at),
        orderingKey: row.ordering_key,
        traceparent: row.traceparent,
        contentType: row.content_type,
        contentEncoding: row.content_encoding,
        payload: row.body,
        trail: trailOf({ source_id: row.source_id, request: { trail: row.trail ?? [] } }),
        request: row.request,
      }));
    },
    async remove(rows) {
      const values = [
        rows.map(({ tenant }) => tenant),
        rows.map(({ deliveryId }) => deliveryId),
        rows.map(({ step }) => step),
      ];
      const left = await postgres.query<{ tenant: string; delivery_id: string }>(
        removeRows,
        values,
        'remove-free-rows',
      );
      return left.map((row) => ({ tenant: row.tenant, deliveryId: row.delivery_id }));
    },
    async count(partitions) {
      const rows = await postgres.query<{ state: WaitingStatus; rows: number }>(
        countByState,
        [partitions, countedPages],
        'count-waiting',
      );
      const of = (state: string): number => rows.find((row) => row.state === state)?.rows ?? 0;
      return { retrying: of('retrying'), parked: of('parked') };
    },
  };
}

/**
 * The table `waiting`, as the owner of a partition reads and clears it. The projector writes its rows.
 *
 * A reading costs by the lanes that have rows, not by the rows: from each lane it takes no more than the lane has places for, and one that
 * has none is passed over. A backlog of a million rows of one endpoint neither slows the reading nor hides what others have.
 */
import { formatMicros } from '#lib/clock';
import type { Query } from '#lib/postgres';
import { microsOf } from './micros-of.ts';
import { lanesWithRows } from './lanes-with-rows.ts';
import { hasPayload, hasRowEnded, itsPayload, payloadBytesOfRow } from './row-conditions.ts';
import { type RawWaitingRow, waitingColumns, type WaitingRow, waitingRowOf } from './waiting-row.ts';

export interface LaneRoom {
  tenant: string;
  endpointId: string;
  room: number;
  early: boolean;
}

export interface DueQuestion {
  partitions: readonly number[];
  /** In microseconds. */
  now: number;
  /** Places in a lane. */
  perLane: number;
  /** Lanes that have fewer; those that try whether their endpoint is back take what is in an order before it is due. */
  lanes: readonly LaneRoom[];
  /** Deliveries in hand, whose rows still stand. */
  except: readonly { tenant: string; id: string }[];
  limit: number;
}

export interface DueRow extends WaitingRow {
  payloadBytes: number;
  /** The tables know that its delivery has ended: only of rows that are in an order, which the projector does not remove. */
  ended: boolean;
}

/** What a delivery has of its event. */
export interface EventContent {
  tenant: string;
  eventId: string;
  type: string;
  receivedAt: number;
  orderingKey: string | null;
  traceparent: string;
  contentType: string;
  payload: Buffer;
}

export interface WaitingTable {
  /**
   * Due rows, the oldest first. Those of an endpoint that was deleted or disabled are due at once. Rows whose delivery has ended (but for
   * those in an order), or whose event is not in the tables yet, are left out.
   */
  due(question: DueQuestion): Promise<DueRow[]>;
  contents(events: readonly { tenant: string; eventId: string }[]): Promise<EventContent[]>;
  /** Up to this step: a later row stays. */
  remove(rows: readonly { tenant: string; deliveryId: string; step: number }[]): Promise<void>;
  /** Exact for as long as there are not many; else by a sample. */
  count(partitions: readonly number[]): Promise<{ retrying: number; parked: number }>;
}

/** What decides about a row is asked of it alone (row-conditions.ts). */
const dueRows = `
  SELECT due.*
    FROM unnest($1::int[]) AS owned (partition)
   CROSS JOIN LATERAL (
     WITH RECURSIVE ${lanesWithRows}
     SELECT rows.*
       FROM lane
       LEFT JOIN unnest($2::text[], $3::text[], $4::int[], $9::boolean[]) AS busy (tenant, endpoint_id, room, early)
         USING (tenant, endpoint_id)
       LEFT JOIN endpoints ep ON ep.tenant = lane.tenant AND ep.id = lane.endpoint_id
      CROSS JOIN LATERAL (
        SELECT ${waitingColumns}, row_number() OVER (ORDER BY w.due_at) AS place,
               ${payloadBytesOfRow} AS payload_bytes, ${hasRowEnded} AS ended
          FROM waiting w
         WHERE w.partition = owned.partition AND w.tenant = lane.tenant AND w.endpoint_id = lane.endpoint_id
           AND w.due_at <= CASE WHEN ep.deleted_at IS NOT NULL OR ep.disabled_at IS NOT NULL THEN 'infinity'
                                WHEN busy.early THEN '9999-01-01'
                                ELSE $5::timestamptz END
           AND (w.due_at <= $5 OR busy.early IS NOT TRUE
                OR (w.ordering_key IS NOT NULL AND coalesce(w.not_before, '-infinity') <= $5))
           AND w.tenant || '/' || w.delivery_id <> ALL ($6::text[])
           AND ${hasPayload}
           AND (w.ordering_key IS NOT NULL OR NOT ${hasRowEnded})
         ORDER BY w.due_at
         LIMIT $7) AS rows
      WHERE coalesce(busy.room, $7) > 0 AND rows.place <= coalesce(busy.room, $7)
   ) AS due
   ORDER BY due.due_at
   LIMIT $8`;

const eventContents = `
  SELECT e.tenant, e.id, e.type, e.received_at, e.ordering_key, e.traceparent, p.content_type, p.body
    FROM unnest($1::text[], $2::text[]) AS wanted (tenant, id)
    JOIN events e ON e.tenant = wanted.tenant AND e.id = wanted.id
   CROSS JOIN ${itsPayload} AS p`;

/** Locked in the projector's order, which writes and removes rows too. */
const removeRows = `
  DELETE FROM waiting w
   USING (SELECT r.tenant, r.delivery_id
            FROM unnest($1::text[], $2::text[], $3::int[]) AS done (tenant, delivery_id, step)
            JOIN waiting r ON r.tenant = done.tenant AND r.delivery_id = done.delivery_id AND r.step <= done.step
           ORDER BY r.tenant, r.delivery_id
             FOR UPDATE OF r) AS served
   WHERE w.tenant = served.tenant AND w.delivery_id = served.delivery_id`;

/**
 * Of a table of more pages than this, so many are looked at, and the rest is taken to be like them: within some per cent. To count ten
 * million rows takes seconds, in which nothing that is due is read.
 */
const countedPages = 1_000;

const countByState = `
  SELECT counted.state, (count(*) / min(pages.share))::int AS rows
    FROM (SELECT least(1, $2 * current_setting('block_size')::float8 / greatest(1, pg_relation_size('waiting'))) AS share) AS pages
   CROSS JOIN LATERAL (
     SELECT state FROM waiting TABLESAMPLE SYSTEM (100 * pages.share) WHERE partition = ANY ($1::int[])) AS counted
   GROUP BY counted.state`;

interface RawDueRow extends RawWaitingRow {
  payload_bytes: number;
  ended: boolean;
}

interface RawContent {
  tenant: string;
  id: string;
  type: string;
  received_at: string;
  ordering_key: string | null;
  traceparent: string;
  content_type: string;
  body: Buffer;
}

/** @param alongIndexes has the settings of lanes-with-rows.ts */
export function createWaitingTable(postgres: Query, alongIndexes: Query): WaitingTable {
  return {
    async due({ partitions, now, perLane, lanes, except, limit }) {
      const values = [
        partitions,
        lanes.map(({ tenant }) => tenant),
        lanes.map(({ endpointId }) => endpointId),
        lanes.map(({ room }) => room),
        formatMicros(now),
        except.map(({ tenant, id }) => `${tenant}/${id}`),
        perLane,
        limit,
        lanes.map(({ early }) => early),
      ];
      // Not prepared: the planner has to see how few rows are asked for.
      const rows = await alongIndexes.query<RawDueRow>(dueRows, values);
      return rows.map((row) => ({ ...waitingRowOf(row), payloadBytes: row.payload_bytes, ended: row.ended }));
    },
    async contents(events) {
      const values = [events.map(({ tenant }) => tenant), events.map(({ eventId }) => eventId)];
      const rows = await postgres.query<RawContent>(eventContents, values, 'event-contents');
      return rows.map((row) => ({
        tenant: row.tenant,
        eventId: row.id,
        type: row.type,
        receivedAt: microsOf(row.received_at),
        orderingKey: row.ordering_key,
        traceparent: row.traceparent,
        contentType: row.content_type,
        payload: row.body,
      }));
    },
    async remove(rows) {
      const values = [
        rows.map(({ tenant }) => tenant),
        rows.map(({ deliveryId }) => deliveryId),
        rows.map(({ step }) => step),
      ];
      await postgres.query(removeRows, values, 'remove-rows');
    },
    async count(partitions) {
      const rows = await postgres.query<{ state: 'retrying' | 'parked'; rows: number }>(
        countByState,
        [partitions, countedPages],
        'count-waiting',
      );
      const of = (state: string): number => rows.find((row) => row.state === state)?.rows ?? 0;
      return { retrying: of('retrying'), parked: of('parked') };
    },
  };
}

/**
 * Removes events that ended long ago, each with all that belongs to it in one transaction: who reads sees the event whole, or not at all.
 *
 * The transaction takes the tenant's clock row first, as the projector's do: nobody changes the tenant's events meanwhile, and it waits in
 * no circle. `retention_horizons` says from the same commit on up to which `updated_at` a tenant's events have been removed: a client that
 * polls on from an earlier one may have missed some, and can be told so. Payloads and attempts go with their partitions, which are dropped
 * earlier; so do not their rows that open work needs, but then the event is not at its end.
 */
import { eventHasEnded, hasEnded } from '#lib/event-store';
import type { Postgres } from '#lib/postgres';
import { createId, formatMicros } from '#lib/runtime';
import { openOwners } from './open-work.ts';
import { type Paced, sweepRows } from './sweep-rows.ts';

/** The tenant's clock is held for as long as this many take. */
const eventsAtOnce = 200;

const removeEvents = `
  WITH slice AS MATERIALIZED (
    SELECT tenant, id, updated_at, status, tags
      FROM events
     WHERE tenant = $1 AND updated_at > $2 AND updated_at < $3
     ORDER BY updated_at
     LIMIT ${eventsAtOnce}
  ), open AS MATERIALIZED (${openOwners('slice', { kind: 'event', column: 'id' })}
  ), ended AS MATERIALIZED (
    SELECT *
      FROM slice
     WHERE ${eventHasEnded('status')} AND (tenant, id) NOT IN (SELECT * FROM open)
  ), of_receipts AS (
    DELETE FROM receipts r USING ended e WHERE r.tenant = e.tenant AND r.event_id = e.id
  ), of_deliveries AS (
    DELETE FROM deliveries d USING ended e WHERE d.tenant = e.tenant AND d.event_id = e.id
  ), of_fan_outs AS (
    DELETE FROM fan_outs f USING ended e WHERE f.tenant = e.tenant AND f.event_id = e.id
  ), of_chunks AS (
    DELETE FROM fan_out_chunks c USING ended e WHERE c.tenant = e.tenant AND c.event_id = e.id
  ), of_dead_letters AS (
    DELETE FROM dead_letters l USING ended e WHERE l.tenant = e.tenant AND l.event_id = e.id
  ), of_tags AS (
    DELETE FROM event_tags t
     USING (SELECT e.tenant, e.id, g.name || ':' || g.value AS tag
              FROM ended e CROSS JOIN LATERAL jsonb_each_text(e.tags) AS g (name, value)) AS of_event
     WHERE t.tenant = of_event.tenant AND t.tag = of_event.tag AND t.event_id = of_event.id
  ), of_generations AS (
    DELETE FROM replay_generations g USING ended e WHERE g.tenant = e.tenant AND g.event_id = e.id
  ), themselves AS (
    DELETE FROM events t USING ended e WHERE t.tenant = e.tenant AND t.id = e.id
  ), horizon AS (
    INSERT INTO retention_horizons AS known (tenant, events_removed_to)
    SELECT tenant, max(updated_at) FROM ended GROUP BY tenant
    ON CONFLICT (tenant) DO UPDATE
       SET events_removed_to = greatest(known.events_removed_to, EXCLUDED.events_removed_to)
  )
  SELECT (SELECT count(*)::int FROM slice) AS seen,
         (SELECT count(*)::int FROM ended) AS removed,
         (SELECT max(updated_at) FROM slice) AS last_at`;

/** @returns how many events were removed */
export async function sweepEvents(postgres: Postgres, before: number, paced: Paced): Promise<number> {
  let removed = 0;
  for (const tenant of await tenants(postgres)) {
    let after = '-infinity';
    await paced(async () => {
      const values = [tenant, after, formatMicros(before)];
      // Most tenants have nothing old, and a clock that is not taken keeps nobody waiting.
      const old = 'SELECT FROM events WHERE tenant = $1 AND updated_at > $2 AND updated_at < $3 LIMIT 1';
      if ((await postgres.query(old, values)).length === 0) return { last: true };
      const piece = await postgres.transaction(async (tx) => {
        await tx.query('SELECT FROM tenant_clocks WHERE tenant = $1 FOR UPDATE', [tenant]);
        const [result] = await tx.query<{ seen: number; removed: number; last_at: string | null }>(
          removeEvents,
          values,
        );
        return result;
      });
      removed += piece?.removed ?? 0;
      after = piece?.last_at ?? after;
      return { last: (piece?.seen ?? 0) < eventsAtOnce };
    });
  }
  return removed;
}

const hasNoEvent = 'NOT EXISTS (SELECT FROM events e WHERE e.tenant = r.tenant AND e.id = r.event_id)';

/**
 * Rows of events that are not there: they were refused as dead letters, or the rows come from records that were read again long after.
 * Their ids hold their time, and the old ones are all that is looked at: what belongs to an event goes with it, so there are few.
 *
 * @returns how many rows were removed
 */
export async function sweepOrphans(postgres: Postgres, before: number, paced: Paced): Promise<number> {
  const firstId = (prefix: 'rcp' | 'dlv' | 'evt'): string =>
    createId(prefix, Math.floor(before / 1000), (size) => Buffer.alloc(size));
  let removed = 0;
  const text = (column: string) => ({ column, type: 'text' as const });
  for (const tenant of await tenants(postgres)) {
    const ofTenant = (id: string) => `tenant = $1 AND ${id} < $2`;
    const sweeps = [
      {
        table: 'receipts',
        key: [text('tenant'), text('receipt_id'), text('origin')],
        columns: ['event_id'],
        within: ofTenant('receipt_id'),
        removable: hasNoEvent,
        values: [tenant, firstId('rcp')],
      },
      {
        table: 'deliveries',
        key: [text('tenant'), text('id')],
        columns: ['event_id', 'status'],
        within: ofTenant('id'),
        removable: `${hasEnded('r.status')} AND ${hasNoEvent}`,
        values: [tenant, firstId('dlv')],
      },
      {
        table: 'fan_outs',
        key: [text('tenant'), text('event_id'), { column: 'generation', type: 'integer' as const }],
        columns: [],
        within: ofTenant('event_id'),
        removable: `${hasNoEvent}
          AND NOT EXISTS (SELECT FROM deliveries d WHERE d.tenant = r.tenant AND d.event_id = r.event_id)`,
        values: [tenant, firstId('evt')],
      },
      {
        table: 'fan_out_chunks',
        key: [
          ...[text('tenant'), text('event_id'), { column: 'generation', type: 'integer' as const }],
          ...[text('try'), { column: 'chunk', type: 'integer' as const }],
        ],
        columns: [],
        within: ofTenant('event_id'),
        removable: hasNoEvent,
        values: [tenant, firstId('evt')],
      },
      {
        table: 'early_stats',
        key: [text('tenant'), text('event_id'), { column: 'n', type: 'bigint' as const }],
        columns: [],
        within: ofTenant('event_id'),
        // Also of an event that a projector without statistics has written.
        removable: 'true',
        values: [tenant, firstId('evt')],
      },
      {
        table: 'replay_generations',
        key: [text('tenant'), text('event_id')],
        columns: [],
        within: ofTenant('event_id'),
        removable: hasNoEvent,
        values: [tenant, firstId('evt')],
      },
    ];
    for (const sweep of sweeps) removed += await sweepRows(postgres, sweep, paced);
  }
  return removed;
}

/** Dead dead letters whose event is not there: it never was, as with what dedup could not take, or it is removed. @returns how many */
export const sweepDeadLetters = (postgres: Postgres, before: number, paced: Paced): Promise<number> =>
  sweepRows(
    postgres,
    {
      table: 'dead_letters',
      key: [
        { column: 'tenant', type: 'text' },
        { column: 'id', type: 'text' },
      ],
      columns: ['event_id', 'at'],
      removable: `r.at < $1::timestamptz AND ${hasNoEvent}`,
      values: [formatMicros(before)],
    },
    paced,
  );

/** Replays that ended long ago, and then what they had sent. @returns how many rows were removed */
export async function sweepReplays(postgres: Postgres, before: number, paced: Paced): Promise<number> {
  const text = (column: string) => ({ column, type: 'text' as const });
  const replays = await sweepRows(
    postgres,
    {
      table: 'replays',
      key: [text('tenant'), text('id')],
      columns: ['ended_at'],
      removable: 'r.ended_at < $1::timestamptz',
      values: [formatMicros(before)],
    },
    paced,
  );
  // No new replay loses items: there is a transaction between the items of a replay and the replay itself.
  const oldest = createId('rpl', Math.floor(before / 1000), (size) => Buffer.alloc(size));
  const items = await sweepRows(
    postgres,
    {
      table: 'replay_items',
      key: [text('tenant'), text('replay_id'), { column: 'item', type: 'integer' }],
      columns: [],
      within: 'replay_id < $1',
      removable: 'NOT EXISTS (SELECT FROM replays p WHERE p.tenant = r.tenant AND p.id = r.replay_id)',
      values: [oldest],
    },
    paced,
  );
  return replays + items;
}

async function tenants(postgres: Postgres): Promise<string[]> {
  const rows = await postgres.query<{ tenant: string }>('SELECT tenant FROM tenant_clocks ORDER BY tenant');
  return rows.map(({ tenant }) => tenant);
}

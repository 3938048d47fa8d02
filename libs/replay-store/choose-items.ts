/**
 * Chooses the items of replays by filter, in any number of processes, while dispatchers work them off:
 *
 *   claim (one that is its tenant's turn, and has few open items) ──► find the next page of what matches ──► add it ──► …
 *
 * A page is added in one transaction with the position after it, and only where the position is still the one that it was found from: a
 * process that dies or is paused adds a page neither half nor twice. What is chosen ahead is bounded, so that what no longer matches is seen
 * late, and a cancel has little to return.
 *
 * A pair of event and endpoint that is an open item of any replay is left out, and so is an event that another replay has sent to that
 * endpoint and that had not ended by the dry run: two who ask for the same at once send it once. The dead letters of pairs are locked first:
 * a replay that claims them meanwhile has committed its items before the pairs are matched, or passes them over.
 */
import type { ReplayOperation } from '#lib/contract';
import type { Postgres, Query } from '#lib/postgres';
import { claimDeadLetters } from './create-dead-letter-replay.ts';
import type { Selection } from './create-filtered-replay.ts';
import { anEarlierOne } from './lease-replays.ts';
import { isItem, openItemStatuses } from './replay-row.ts';

/** Everything up to it has been matched. */
interface ChoicePosition {
  /** The id of the event or delivery. */
  id: string;
  /** The last matched endpoint of an event. */
  endpointId?: string;
  /** Too many match for one statement: they are found window by window. */
  isWide: boolean;
}

export interface UnchosenReplay {
  tenant: string;
  id: string;
  operation: ReplayOperation;
  selection: Selection;
  position: ChoicePosition | null;
  /** As the limit has it. At 0 it is looked whether there is one more. */
  room: number;
}

export type Choice =
  | { kind: 'pair'; eventId: string; endpointId: string }
  /** It waits, and is made due; or it is cancelled. */
  | { kind: 'delivery'; id: string; eventId: string; endpointId: string; generation: number }
  /** Its dead letter is replayed. */
  | { kind: 'dead delivery'; id: string };

export interface ChosenPage {
  /** No more than there is room for. */
  choices: readonly Choice[];
  position: ChoicePosition;
  /** There is nothing behind the position. */
  isLast: boolean;
  /** There is something, but no room. */
  isCapped: boolean;
}

/** Every method @throws AppError store_unavailable */
export interface ItemChoice {
  /** Up to so many replays that need items, for this process alone until released or for some seconds. */
  claim(max: number): Promise<UnchosenReplay[]>;
  /** Undefined if another process was faster, or there is nothing to choose any more: then nothing is changed. */
  add(replay: UnchosenReplay, page: ChosenPage): Promise<{ replay: UnchosenReplay; wantsMore: boolean } | undefined>;
  release(replay: Pick<UnchosenReplay, 'tenant' | 'id'>): Promise<void>;
}

const claimMs = 15_000;
/** Open items at which choosing pauses. */
const maxOpen = 5_000;

interface ClaimedRow {
  tenant: string;
  id: string;
  operation: ReplayOperation;
  selection: Selection;
  chosen_to: ChoicePosition | null;
  chosen: number;
}

const openOnes = 'chosen - replayed - failed - left_out';

export function createItemChoice(postgres: Postgres): ItemChoice {
  return {
    async claim(max) {
      const rows = await postgres.query<ClaimedRow>(
        `UPDATE replays r
            SET choosing_until = clock_timestamp() + ${claimMs} * interval '1 millisecond'
           FROM (SELECT tenant, id FROM replays
                  WHERE status = 'running' AND choosing = 'open' AND ${openOnes} < ${maxOpen}
                    AND (choosing_until IS NULL OR choosing_until < clock_timestamp())
                    AND NOT EXISTS (${anEarlierOne('replays')})
                  ORDER BY choosing_until NULLS FIRST
                  LIMIT $1
                    FOR UPDATE SKIP LOCKED) AS free
          WHERE r.tenant = free.tenant AND r.id = free.id
          RETURNING r.tenant, r.id, r.operation, r.selection, r.chosen_to, r.chosen`,
        [max],
        'claim-choosing',
      );
      return rows.map(({ tenant, id, operation, selection, chosen_to: position, chosen }) => ({
        tenant,
        id,
        operation,
        selection,
        position,
        room: Math.max(0, selection.limit - chosen),
      }));
    },

    add: (replay, page) =>
      postgres.transaction(async (tx) => {
        const { tenant, id, selection } = replay;
        const [row] = await tx.query<{ chosen: number }>(
          `SELECT chosen FROM replays
            WHERE tenant = $1 AND id = $2 AND status = 'running' AND choosing = 'open'
              AND chosen_to IS NOT DISTINCT FROM $3::jsonb
              FOR UPDATE`,
          [tenant, id, replay.position && JSON.stringify(replay.position)],
        );
        if (row === undefined) return undefined;
        const added = await addItems(tx, replay, row.chosen, page.choices);
        const isDone = page.isLast || page.isCapped;
        const [now] = await tx.query<{ open: number }>(
          `UPDATE replays
              SET chosen = chosen + $3, chosen_to = $4, choosing = CASE WHEN $5 THEN 'done' ELSE 'open' END, capped = $6,
                  -- It may name what is erased later.
                  selection = CASE WHEN NOT $5 THEN selection END,
                  -- The dry run counted matched + left_out.
                  matched = CASE WHEN $5 THEN chosen + $3 - left_out ELSE greatest(matched, chosen + $3 - left_out) END,
                  left_out = left_out + CASE WHEN $5 THEN greatest(matched + left_out - chosen - $3, 0) ELSE 0 END,
                  choosing_until = clock_timestamp() + ${claimMs} * interval '1 millisecond'
            WHERE tenant = $1 AND id = $2
            RETURNING ${openOnes} AS open`,
          [tenant, id, added, JSON.stringify(page.position), isDone, page.isCapped],
        );
        return {
          replay: { ...replay, position: page.position, room: Math.max(0, selection.limit - row.chosen - added) },
          wantsMore: !isDone && (now?.open ?? 0) < maxOpen,
        };
      }),

    async release({ tenant, id }) {
      await postgres.query('UPDATE replays SET choosing_until = NULL WHERE tenant = $1 AND id = $2', [tenant, id]);
    },
  };
}

/** @returns how many there are: without those that are items of other replays, or were claimed meanwhile */
async function addItems(
  tx: Query,
  { tenant, id, selection }: UnchosenReplay,
  chosen: number,
  choices: readonly Choice[],
): Promise<number> {
  const pairs = choices.filter((choice) => choice.kind === 'pair');
  const deliveries = choices.filter((choice) => choice.kind === 'delivery');
  const dead = choices.filter((choice) => choice.kind === 'dead delivery');
  let added = 0;
  if (pairs.length > 0) added += await addPairs(tx, { tenant, id, asOf: selection.asOf }, chosen, pairs);
  if (deliveries.length > 0) {
    const items = await tx.query(
      `INSERT INTO replay_items (tenant, replay_id, item, delivery_id, event_id, endpoint_id, generation)
       SELECT $1, $2, $3::int + row_number() OVER (ORDER BY place), delivery_id, event_id, endpoint_id, generation
         FROM unnest($4::text[], $5::text[], $6::text[], $7::int[]) WITH ORDINALITY
              AS wanted (delivery_id, event_id, endpoint_id, generation, place)
        WHERE NOT EXISTS (${openItemsOf('wanted')})
       RETURNING item`,
      [
        ...[tenant, id, chosen + added],
        deliveries.map((delivery) => delivery.id),
        deliveries.map(({ eventId }) => eventId),
        deliveries.map(({ endpointId }) => endpointId),
        deliveries.map(({ generation }) => generation),
      ],
    );
    added += items.length;
  }
  if (dead.length > 0) {
    const conditions = `l.tenant = $1 AND l.stage = 'dispatcher' AND l.origin = ANY ($4::text[]) AND l.status = 'dead'
                        AND NOT EXISTS (${openItemsOf('l')})`;
    const places = { replay: '$2::text', from: '$3::int', limit: '$5::int' };
    const values = [tenant, id, chosen + added, dead.map((delivery) => delivery.id), dead.length];
    added += (await tx.query(claimDeadLetters(conditions, places), values)).length;
  }
  return added;
}

/** `$1` is the tenant. */
const openItemsOf = (pair: string): string => `
  SELECT FROM replay_items i
   WHERE i.tenant = $1 AND i.event_id = ${pair}.event_id AND i.endpoint_id = ${pair}.endpoint_id
     AND ${isItem('i.status', openItemStatuses)}`;

type Pair = Extract<Choice, { kind: 'pair' }>;

async function addPairs(
  tx: Query,
  { tenant, id, asOf }: { tenant: string; id: string; asOf: string },
  chosen: number,
  pairs: readonly Pair[],
): Promise<number> {
  const eventIds = pairs.map(({ eventId }) => eventId);
  const endpointIds = pairs.map(({ endpointId }) => endpointId);
  await tx.query(
    `SELECT FROM dead_letters l JOIN unnest($2::text[], $3::text[]) AS wanted (event_id, endpoint_id) USING (event_id, endpoint_id)
      WHERE l.tenant = $1 AND l.value IS NULL AND l.status = 'dead'
      ORDER BY l.id
        FOR UPDATE OF l`,
    [tenant, eventIds, endpointIds],
  );
  // In a later statement: what was committed before the locks were given is seen.
  const added = await tx.query<{ event_id: string; endpoint_id: string }>(
    `WITH free AS MATERIALIZED (
       SELECT * FROM unnest($4::text[], $5::text[]) WITH ORDINALITY AS wanted (event_id, endpoint_id, place)
        WHERE NOT EXISTS (${openItemsOf('wanted')})
          AND NOT EXISTS (
                SELECT FROM replay_items i JOIN replays r ON r.tenant = i.tenant AND r.id = i.replay_id
                 WHERE i.tenant = $1 AND i.event_id = wanted.event_id AND i.endpoint_id = wanted.endpoint_id
                   AND i.status = 'replayed' AND i.delivery_id IS NULL
                   AND coalesce(r.sent_at, r.ended_at, 'infinity') > $6::timestamptz)
     ), raised AS (
       INSERT INTO replay_generations AS known (tenant, event_id, generation)
       SELECT $1, event_id, 1 + (SELECT coalesce(max(f.generation), 0) FROM fan_outs f
                                  WHERE f.tenant = $1 AND f.event_id = e.event_id)
         FROM (SELECT DISTINCT event_id FROM free) AS e
        ORDER BY event_id
       ON CONFLICT (tenant, event_id) DO UPDATE SET generation = greatest(known.generation + 1, EXCLUDED.generation)
       RETURNING event_id, generation
     )
     INSERT INTO replay_items (tenant, replay_id, item, event_id, endpoint_id, generation)
     SELECT $1, $2, $3::int + row_number() OVER (ORDER BY place), event_id, endpoint_id, generation
       FROM free JOIN raised USING (event_id)
     RETURNING event_id, endpoint_id`,
    [tenant, id, chosen, eventIds, endpointIds, asOf],
  );
  await tx.query(
    `UPDATE dead_letters l
        SET status = 'replaying', replay_id = $2
       FROM unnest($3::text[], $4::text[]) AS added (event_id, endpoint_id)
      WHERE l.tenant = $1 AND l.event_id = added.event_id AND l.endpoint_id = added.endpoint_id
        AND l.value IS NULL AND l.status = 'dead'`,
    [tenant, id, added.map(({ event_id }) => event_id), added.map(({ endpoint_id }) => endpoint_id)],
  );
  return added.length;
}

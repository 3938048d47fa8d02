/** Pausing an endpoint and resuming it. The revision stays: breaker, failing time and ETag are of what a user has set. */
import { pauseLimits, type StoredPause } from '#lib/contract';
import type { Query } from '#lib/postgres';
import { formatMicros, microsOf } from '#lib/runtime';
import type { Named } from '../resources/resource-table.ts';
import { type EndpointRow, endpointTable } from './queries.ts';

const secondMicros = 1_000_000;

/**
 * @param pauses as they are; @param until when it is to end: a time, or the usual one. An endpoint that is paused has its end moved.
 * @returns a message if `until` is out of bounds
 */
export async function beginPause(
  tx: Query,
  named: Named,
  pauses: readonly StoredPause[],
  until: string | undefined,
): Promise<EndpointRow | { message: string }> {
  const now = await nowOf(tx);
  const running = runningOf(pauses, now);
  const from = running?.from ?? formatMicros(now);
  const latest = microsOf(from) + pauseLimits.longestSeconds * secondMicros;
  const end = until === undefined ? Math.min(latest, now + pauseLimits.usualSeconds * secondMicros) : microsOf(until);
  if (end <= now) return { message: 'must be in the future' };
  if (end > latest)
    return { message: `must be at most ${pauseLimits.longestSeconds / 86_400} days after the beginning of the pause` };
  const paused = await write(tx, named, [
    ...pauses.filter((each) => each !== running),
    { from, until: formatMicros(end) },
  ]);
  if (running === undefined) await announcePause(tx, named, from);
  return paused;
}

/** Once a pause: moving its end is no other one. Read back from the row, which is locked. */
const announcePause = (tx: Query, { tenant, id }: Named, from: string): Promise<unknown> =>
  tx.query(
    `SELECT announce(tenant, 'hookline.endpoint.paused', id, $3, jsonb_build_object(
              'url', url, 'paused_at', $3::text, 'until', rfc3339(paused_until)))
       FROM endpoints
      WHERE tenant = $1 AND id = $2`,
    [tenant, id, from],
  );

/** Ends the pause, if there is one; undefined: there is none. */
export async function endPause(
  tx: Query,
  named: Named,
  pauses: readonly StoredPause[],
): Promise<EndpointRow | undefined> {
  const now = await nowOf(tx);
  const running = runningOf(pauses, now);
  if (running === undefined) return undefined;
  return write(tx, named, [...pauses.filter((each) => each !== running), { ...running, until: formatMicros(now) }]);
}

const runningOf = (pauses: readonly StoredPause[], now: number): StoredPause | undefined =>
  pauses.findLast(({ until }) => microsOf(until) > now);

async function nowOf(tx: Query): Promise<number> {
  const [row] = await tx.query<{ now: string }>('SELECT clock_timestamp() AS now');
  return microsOf(row?.now ?? '');
}

const write = (tx: Query, named: Named, pauses: readonly StoredPause[]): Promise<EndpointRow> =>
  endpointTable.note(tx, named, 'pauses = $3, paused_until = $4', [
    JSON.stringify(shortened(pauses)),
    pauses.at(-1)?.until,
  ]);

function shortened(pauses: readonly StoredPause[]): readonly StoredPause[] {
  const [first, second, ...others] = pauses;
  if (pauses.length <= pauseLimits.maxKept || first === undefined || second === undefined) return pauses;
  return shortened([{ from: first.from, until: second.until }, ...others]);
}

export async function findPauses(postgres: Query, { tenant, id }: Named): Promise<StoredPause[]> {
  const [row] = await postgres.query<{ pauses: StoredPause[] }>(
    'SELECT pauses FROM endpoints WHERE tenant = $1 AND id = $2',
    [tenant, id],
  );
  return row?.pauses ?? [];
}

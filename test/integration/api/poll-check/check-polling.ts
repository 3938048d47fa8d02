/**
 * Writers that change events, clients that poll for the changes, and the sum: who has not come to see each event as it is at the end, or
 * never came to the end. Meanwhile the database's clock is set forward and back.
 */
import { takeClocks } from '#lib/event-store';
import type { Postgres } from '#lib/postgres';
import { toAppError } from '#lib/runtime';
import { seededRandom } from '../../../support/seeded-random.ts';
import { poll, type Poller, pollerKinds } from './pollers.ts';
import { type ClockSteps, stepClock } from './stepped-clock.ts';
import { writeAll, type Written } from './writers.ts';

export interface PollCheck {
  /** The database of the API, its clock as installSteppedClock leaves it, with connections for writers and a few more. */
  postgres: Postgres;
  /** URLs of the API's processes. */
  urls: readonly string[];
  /** In the name of each tenant: another one for each run on the same database. */
  name: string;
  changes: number;
  seed: number;
  tenants: number;
  /** Tenants that are polled. */
  polled: number;
  writers: number;
  publishers: number;
  limits: readonly number[];
  factsAtOnce: number;
  standStills: number;
  clockSteps: boolean;
  clock?: typeof takeClocks;
}

export interface PollSum extends Written {
  clockSteps: ClockSteps;
  /** Deadlocks counted by Postgres, over all users of the database. */
  deadlocks: number;
  pollers: number;
  requests: number;
  /** By poller kind and limit, over all tenants: events whose last state was not seen. */
  missed: Record<string, number>;
  outOfOrder: Record<string, number>;
  /** Pollers that got stuck before the end. */
  stuck: string[];
  /** Answers to pollers that were no events. */
  refused: Record<string, number>;
  writingMs: number;
  /** From the last change until everyone was at the end. */
  followingMs: number;
}

export async function checkPolling({ clock = takeClocks, ...check }: PollCheck): Promise<PollSum> {
  const { postgres, urls, name, seed, limits } = check;
  const tenants = Array.from({ length: check.tenants }, (_, n) => `${name}-${n}`);
  const pollers = tenants
    .slice(0, check.polled)
    .flatMap((tenant) => limits.flatMap((limit) => pollerKinds.map((kind): Poller => ({ kind, tenant, limit }))));
  const ends = new Map<string, string>();
  const missed: Record<string, number> = {};
  const outOfOrder: Record<string, number> = {};
  const refused: Record<string, number> = {};
  const stuck: string[] = [];
  let requests = 0;

  async function follow(poller: Poller): Promise<void> {
    const way = `${poller.kind}, ${poller.limit}`;
    try {
      const seen = await poll(poller, { urls, seed, endOf: (tenant) => ends.get(tenant) });
      requests += seen.requests;
      if (seen.isStuck) stuck.push(`${way}, ${poller.tenant}`);
      if (seen.outOfOrder > 0) outOfOrder[way] = (outOfOrder[way] ?? 0) + seen.outOfOrder;
      const rows = await postgres.query<{ id: string; updated_at: string }>(
        'SELECT id, updated_at FROM events WHERE tenant = $1',
        [poller.tenant],
      );
      missed[way] = (missed[way] ?? 0) + rows.filter(({ id, updated_at }) => seen.byId.get(id) !== updated_at).length;
    } catch (error) {
      const { message } = toAppError(error);
      refused[message] = (refused[message] ?? 0) + 1;
    }
  }

  const deadlocks = async (): Promise<number> => {
    const [database] = await postgres.query<{ deadlocks: string }>(
      'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
    );
    return Number(database?.deadlocks);
  };
  const deadlocksBefore = await deadlocks();
  const beganMs = performance.now();
  const following = Promise.all(pollers.map(follow));
  const isWritten = new AbortController();
  const stepping = check.clockSteps
    ? stepClock(postgres, seededRandom(seed), isWritten.signal)
    : { forward: 0, back: 0, farthestSeconds: 0 };
  const written = await writeAll({ ...check, tenants, clock });
  isWritten.abort();
  const clockSteps = await stepping;
  const rows = await postgres.query<{ tenant: string; at: string }>(
    'SELECT tenant, max(updated_at) AS at FROM events WHERE tenant = ANY($1) GROUP BY tenant',
    [tenants],
  );
  for (const { tenant, at } of rows) ends.set(tenant, at);
  const writingMs = performance.now() - beganMs;
  await following;
  return {
    ...written,
    clockSteps,
    deadlocks: (await deadlocks()) - deadlocksBefore,
    pollers: pollers.length,
    requests,
    missed,
    outOfOrder,
    stuck,
    refused,
    writingMs: Math.round(writingMs),
    followingMs: Math.round(performance.now() - beganMs - writingMs),
  };
}

/** The faults in words; none if polling is as it must be. */
export function faultsOf(sum: PollSum): string[] {
  const all = (what: string, counts: Readonly<Record<string, number>>): string[] =>
    Object.entries(counts).flatMap(([of, count]) => (count > 0 ? [`${what} ${count}: ${of}`] : []));
  return [
    ...all('missed', sum.missed),
    ...all('out of order', sum.outOfOrder),
    ...all('failed', sum.failed),
    ...all('refused', sum.refused),
    ...sum.stuck.map((poller) => `stuck: ${poller}`),
    ...(sum.deadlocks > 0 ? [`deadlocks: ${sum.deadlocks}`] : []),
  ];
}

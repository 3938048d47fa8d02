/**
 * Writers that change events through the projector's own statements, clients that poll for the changes through the API, and the sum: who
 * has not come to see each event as it is at the end, or later never come to the end.
 *
 * Writers pause within their transactions, have many tenants in each, and meet at the same ones; in the middle the clock is set back.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { toAppError } from '#lib/errors';
import { takeClocks } from '#lib/event-store';
import { toBatchRows } from '../../../services/projector/batch-rows.ts';
import type { Fact } from '../../../services/projector/facts.ts';
import { guardingStatements, writeBatch } from '../../../services/projector/write-batch.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { authorization } from '../../unit/api/build-test-app.ts';
import { duplicateFact, eventFact, fanOutFact, outcomeFact } from '../../unit/projector/facts.ts';
import { partitionOf } from '../projector/projection.ts';
import type { PollingApi } from './polling-api.ts';

interface Options {
  changes: number;
  /** In the name of each tenant: another one for each run on the same database. */
  name: string;
  tenants?: number;
  writers?: number;
  limits?: readonly number[];
  /** In a transaction, at the most. */
  factsAtOnce?: number;
  clock?: typeof takeClocks;
}

export interface PollSum {
  changes: number;
  /** Transactions that failed, by what was said: two waited for each other, two changes had one instant, no connection was free. */
  failed: Record<string, number>;
  /** By poller: events of which the last state was not seen, over all tenants. */
  missed: Record<string, number>;
  /** By poller: items that came twice though their position was behind them, or before one that was later. */
  outOfOrder: Record<string, number>;
  requests: number;
  writingMs: number;
  /** From the last change until everyone was at the end. */
  followingMs: number;
  /** Those that came no farther before they were at the end. */
  stuck: string[];
}

interface EventJson {
  id: string;
  updated_at: string;
}

const kinds = ['by time', 'by cursor', 'held'] as const;
const betweenPollsMs = 20;
/** Behind the end, and no farther after so long: who is slow is not stuck. */
const noProgressMs = 30_000;
/** Those who are held when the last change has been seen wait for as long. */
const heldSeconds = 2;

export async function checkPolling(
  api: PollingApi,
  {
    changes,
    name,
    tenants = 6,
    writers = 8,
    limits = [2, 3, 10, 100, 1_000],
    factsAtOnce = 6,
    clock = takeClocks,
  }: Options,
): Promise<PollSum> {
  const names = Array.from({ length: tenants }, (_, n) => `${name}-${n}`);
  const sum: PollSum = {
    changes: 0,
    failed: {},
    missed: {},
    outOfOrder: {},
    requests: 0,
    writingMs: 0,
    followingMs: 0,
    stuck: [],
  };

  /** What becomes of an event, fact by fact. */
  const historyOf = (tenant: string, eventId: string): Fact[] => {
    const event = { tenant, eventId };
    return [
      eventFact(event),
      fanOutFact(event, ['ep_a', 'ep_b']),
      outcomeFact(event, 'ep_a', 1, 'retrying'),
      duplicateFact(event, { origin: `received-1-${tenant}-${eventId}` }),
      outcomeFact(event, 'ep_b', 1, 'delivered'),
      outcomeFact(event, 'ep_a', 2, 'delivered'),
    ];
  };

  async function write(writer: number): Promise<void> {
    const random = seededRandom(writer + 1);
    const below = (n: number): number => Math.floor(random() * n);
    const open: Fact[][] = [];
    let failures = 0;
    for (let begun = 0; sum.changes < changes;) {
      while (open.length < 2 * factsAtOnce)
        open.push(historyOf(names[below(tenants)] ?? '', `evt_${writer}_${(begun += 1)}`));
      const first = below(2 * factsAtOnce);
      const chosen = open.slice(first, first + 1 + below(factsAtOnce));
      const facts = chosen.flatMap((history) => history[0] ?? []);
      const pauseMs = random() < 0.02 ? 100 : random() < 0.3 ? below(10) : 0;
      try {
        await api.postgres.transaction(async (tx) => {
          await writeBatch(tx, toBatchRows(facts, partitionOf), { ...guardingStatements, takeClocks: clock });
          if (pauseMs > 0) await tx.query('SELECT pg_sleep($1)', [pauseMs / 1000]);
        });
        sum.changes += facts.length;
      } catch (error) {
        const { message } = toAppError(error);
        sum.failed[message] = (sum.failed[message] ?? 0) + 1;
        // Without its clock a variant may refuse the same facts for ever.
        if ((failures += 1) > changes) return;
      }
      chosen.forEach((history) => history.shift());
      for (let n = open.length - 1; n >= 0; n -= 1) if (open[n]?.length === 0) open.splice(n, 1);
    }
  }

  let writing = true;
  let endOf = new Map<string, string>();

  async function poll(kind: (typeof kinds)[number], tenant: string, limit: number): Promise<void> {
    const poller = `${kind}, ${limit}`;
    const seen = new Map<string, string>();
    const query = new URLSearchParams({
      limit: String(limit),
      ...(kind === 'held' ? { wait: String(heldSeconds) } : {}),
    });
    let last = '';
    let next: string | undefined;
    let progressAtMs = performance.now();
    while (writing || last < (endOf.get(tenant) ?? '')) {
      if (!writing && performance.now() > progressAtMs + noProgressMs) {
        sum.stuck.push(`${poller}, ${tenant}`);
        break;
      }
      const answer = await fetch(next ?? `http://127.0.0.1:${api.port}/v1/events?${query.toString()}`, {
        headers: { authorization, 'hookline-tenant': tenant },
      });
      sum.requests += 1;
      const items = answer.status === 204 ? [] : ((await answer.json()) as EventJson[]);
      for (const { id, updated_at } of items) {
        const isKnown = kind === 'by time' && next === undefined && updated_at === last;
        if (updated_at <= last && !isKnown) sum.outOfOrder[poller] = (sum.outOfOrder[poller] ?? 0) + 1;
        seen.set(id, updated_at);
        if (updated_at > last) progressAtMs = performance.now();
        last = updated_at;
      }
      if (kind === 'by time') {
        const [, link] = /^<[^>]*(\/v1\/[^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '') ?? [];
        next = link === undefined ? undefined : `http://127.0.0.1:${api.port}${link}`;
        if (last !== '') query.set('updated_at_gte', last);
      } else query.set('cursor', answer.headers.get('hookline-cursor') ?? '');
      if (kind !== 'held' && next === undefined && items.length < limit) await delay(betweenPollsMs);
    }
    const rows = await api.postgres.query<EventJson>('SELECT id, updated_at FROM events WHERE tenant = $1', [tenant]);
    const missed = rows.filter(({ id, updated_at }) => seen.get(id) !== updated_at).length;
    sum.missed[poller] = (sum.missed[poller] ?? 0) + missed;
  }

  async function setClockBack(): Promise<void> {
    while (sum.changes < changes / 2) await delay(5);
    // To the tenants' clocks it is all the same who of the two has moved.
    const ahead = `UPDATE tenant_clocks SET last_at = last_at + interval '5 seconds' WHERE tenant = $1`;
    for (const tenant of names) await api.postgres.query(ahead, [tenant]);
  }

  const beganMs = performance.now();
  const polling = names.flatMap((tenant) => limits.flatMap((limit) => kinds.map((kind) => poll(kind, tenant, limit))));
  await Promise.all([setClockBack(), ...Array.from({ length: writers }, (_, writer) => write(writer))]);
  const ends = await api.postgres.query<{ tenant: string; at: string }>(
    'SELECT tenant, max(updated_at) AS at FROM events WHERE tenant = ANY($1) GROUP BY tenant',
    [names],
  );
  endOf = new Map(ends.map(({ tenant, at }) => [tenant, at]));
  writing = false;
  sum.writingMs = performance.now() - beganMs;
  await Promise.all(polling);
  sum.followingMs = performance.now() - beganMs - sum.writingMs;
  return sum;
}

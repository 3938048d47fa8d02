/**
 * Writers that change events by the projector's own statements, in batches over many tenants that meet at the same ones; and publishers, who
 * do so by the API. A writer's transaction pauses now and then, and some stand still for longer than the server lets them: these it ends,
 * and what they were to write is written again, as a projector does whose batch was not committed.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { takeClocks, takeFreeClocks } from '#lib/event-store';
import type { Postgres } from '#lib/postgres';
import { toAppError } from '#lib/runtime';
import { ofTenants, toBatchRows } from '../../../../services/projector/batch-rows.ts';
import type { Fact } from '../../../../services/projector/facts.ts';
import { guardingStatements, writeBatch } from '../../../../services/projector/write-batch.ts';
import { seededRandom } from '../../../support/seeded-random.ts';
import { authorization } from '../../../unit/api/build-test-app.ts';
import { duplicateFact, eventFact, fanOutFact, outcomeFact } from '../../../unit/projector/facts.ts';
import { partitionOf } from '../../projector/projection.ts';

export interface Written {
  changes: number;
  published: number;
  /** Transactions that paused for up to 100 ms and continued. */
  paused: number;
  /** Transactions that stood still beyond the server's limit, and were rightly ended by it. */
  ended: number;
  /** A publisher's requests that were answered 503 and made again with their key: behind one that stood still. */
  askedAgain: number;
  /** Failures, which must be 0, by message: two that waited for each other, two changes with one instant, no free connection. */
  failed: Record<string, number>;
}

export interface WriterOptions {
  /** With a connection for each writer: none waits for another's. */
  postgres: Postgres;
  urls: readonly string[];
  tenants: readonly string[];
  changes: number;
  writers: number;
  publishers: number;
  /** In a transaction, at the most. */
  factsAtOnce: number;
  /** The number of transactions that stand still. */
  standStills: number;
  seed: number;
  clock: typeof takeClocks;
}

/** Longer than the five seconds that takeClocks sets. */
const standStillMs = 5_600;
const endedByServer = 'Postgres 25P03';
const betweenPublishedMs = 50;
const askAgainMs = 500;
const tooManyFailures = 1_000;

export async function writeAll(options: WriterOptions): Promise<Written> {
  const { changes, writers, publishers, standStills } = options;
  const written: Written = { changes: 0, published: 0, paused: 0, ended: 0, askedAgain: 0, failed: {} };
  /** Spread over the run; the next transaction takes the next one. */
  const standStillAt = Array.from({ length: standStills }, (_, n) => ((n + 0.5) / standStills) * changes);
  const mayStandStill = (): boolean => {
    const [next] = standStillAt;
    if (next === undefined || written.changes < next) return false;
    standStillAt.shift();
    return true;
  };
  const isOver = (): boolean => written.changes >= changes || failures(written) > tooManyFailures;
  await Promise.all([
    ...Array.from({ length: writers }, (_, n) => write(options, n, written, { isOver, mayStandStill })),
    ...Array.from({ length: publishers }, (_, n) => publish(options, n, written, isOver)),
  ]);
  return written;
}

const failures = ({ failed }: Written): number => Object.values(failed).reduce((sum, count) => sum + count, 0);

function fail({ failed }: Written, message: string): void {
  failed[message] = (failed[message] ?? 0) + 1;
}

async function write(
  { postgres, tenants, factsAtOnce, seed, clock }: WriterOptions,
  writer: number,
  written: Written,
  { isOver, mayStandStill }: { isOver(): boolean; mayStandStill(): boolean },
): Promise<void> {
  const random = seededRandom(seed + writer);
  const below = (n: number): number => Math.floor(random() * n);
  const open: Fact[][] = [];
  for (let begun = 0; !isOver();) {
    while (open.length < 2 * factsAtOnce)
      open.push(historyOf(tenants[below(tenants.length)] ?? '', `evt_${writer}_${(begun += 1)}`));
    const first = below(2 * factsAtOnce);
    const chosen = open.slice(first, first + 1 + below(factsAtOnce));
    const facts = chosen.flatMap((history) => history[0] ?? []);
    const standsStill = mayStandStill();
    const pauseMs = standsStill ? standStillMs : random() < 0.02 ? 100 : random() < 0.3 ? below(10) : 0;
    let isDone = true;
    try {
      const rows = toBatchRows(facts, partitionOf);
      const taken = await postgres.transaction(async (tx) => {
        // As a projector does it: of whose clocks are free, then of each other tenant by itself. A variant is tried in both places.
        const first = clock === takeClocks ? takeFreeClocks : clock;
        const written = await writeBatch(tx, rows, { ...guardingStatements, takeClocks: first });
        if (pauseMs > 0) await delay(pauseMs);
        return written;
      });
      for (const tenant of rows.tenants)
        if (!taken.has(tenant))
          await postgres.transaction((tx) =>
            writeBatch(tx, ofTenants(rows, new Set([tenant])), { ...guardingStatements, takeClocks: clock }),
          );
      written.changes += facts.length;
      if (standsStill) fail(written, 'one that stood still was not ended');
      else if (pauseMs > 0) written.paused += 1;
    } catch (thrown) {
      const error = toAppError(thrown);
      if (standsStill && error.message.startsWith(endedByServer)) written.ended += 1;
      else fail(written, error.message);
      // A data error would come back for ever: a variant without its clock makes such.
      isDone = !error.retryable;
    }
    if (isDone) chosen.forEach((history) => history.shift());
    for (let n = open.length - 1; n >= 0; n -= 1) if (open[n]?.length === 0) open.splice(n, 1);
  }
}

/** The life of an event, fact by fact. */
function historyOf(tenant: string, eventId: string): Fact[] {
  const event = { tenant, eventId };
  return [
    eventFact(event),
    fanOutFact(event, ['ep_a', 'ep_b']),
    outcomeFact(event, 'ep_a', 1, 'retrying'),
    duplicateFact(event, { origin: `received-1-${tenant}-${eventId}` }),
    outcomeFact(event, 'ep_b', 1, 'delivered'),
    outcomeFact(event, 'ep_a', 2, 'delivered'),
  ];
}

async function publish(
  { urls, tenants, seed }: WriterOptions,
  publisher: number,
  written: Written,
  isOver: () => boolean,
): Promise<void> {
  const random = seededRandom(seed + 1_000 + publisher);
  const oneOf = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  while (!isOver()) {
    await delay(random() * 2 * betweenPublishedMs);
    const headers = {
      authorization,
      'hookline-tenant': oneOf(tenants),
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    };
    for (let status = 0; status !== 202 && !isOver();) {
      const body = JSON.stringify({ type: 'order.paid', payload: { publisher } });
      const answer = await fetch(`${oneOf(urls)}/v1/events`, { method: 'POST', headers, body });
      const text = await answer.text();
      ({ status } = answer);
      if (status === 202) written.published += 1;
      else if (status !== 503 && status !== 409) return fail(written, `POST /events: ${status} ${text}`);
      else {
        written.askedAgain += 1;
        await delay(askAgainMs * random());
      }
    }
  }
}

/**
 * The tables, as group commit writes them.
 *
 * Rows that need no clock (payloads, attempts) are written ahead, in a transaction of their own: nobody finds them until the rows that they
 * belong to are committed, and if that never happens, the records come again. They are on disk before that commit begins: Postgres may
 * restart between the two.
 *
 * Old rows are written with the rest instead: their day's partition may be dropped between the two.
 */
import { run, takeFreeClocks } from '#lib/event-store';
import type { Postgres } from '#lib/postgres';
import type { Clock, CrashPoints } from '#lib/runtime';
import { toBatchRows, toClockFreeRows } from './batch-rows.ts';
import { deliveryAt, type Fact, tenantOf } from './facts.ts';
import type { Store } from './group-commit.ts';
import { insertAttempts } from './statements/attempts.ts';
import { insertPayloads } from './statements/payloads.ts';
import { guardingStatements, writeBatch } from './write-batch.ts';

interface Deps {
  postgres: Pick<Postgres, 'transaction'>;
  /** A pool of its own: it must not wait for a connection until a clock is free. */
  ahead: Pick<Postgres, 'transaction'>;
  partitionOf(endpointId: string): number;
  clock: Clock;
  crashPoints: CrashPoints;
}

/** Payloads and attempts are kept for four days at the least. */
const oldMicros = 24 * 3_600 * 1_000_000;
const free = { ...guardingStatements, takeClocks: takeFreeClocks };

export function createStore({ postgres, ahead, partitionOf, clock, crashPoints }: Deps): Store<Fact> {
  const prepared = new WeakSet<Fact>();
  const rowsOf = (facts: readonly Fact[]) =>
    toBatchRows(facts, partitionOf, (fact) => prepared.has(fact), clock.nowMs());
  return {
    async prepare(facts) {
      const old = clock.nowMs() * 1_000 - oldMicros;
      const young = facts.filter((fact) => timeOf(fact) >= old);
      const { payloads, attempts } = toClockFreeRows(young);
      if (payloads.length + attempts.length > 0)
        await ahead.transaction((tx) =>
          Promise.all([run(tx, insertPayloads, payloads), run(tx, insertAttempts, attempts)]),
        );
      for (const fact of facts) prepared.delete(fact);
      for (const fact of young) prepared.add(fact);
      crashPoints.reach('projector.after-ahead');
    },
    async commitFree(facts) {
      const rows = rowsOf(facts);
      const taken = await postgres.transaction((tx) => writeBatch(tx, rows, free));
      const needed = new Set(rows.tenants);
      return new Set([...taken, ...facts.map(tenantOf).filter((tenant) => !needed.has(tenant))]);
    },
    async commitWaiting(facts) {
      await postgres.transaction((tx) => writeBatch(tx, rowsOf(facts)));
    },
  };
}

/** By which the rows that need no clock are partitioned. */
function timeOf(fact: Fact): number {
  if (fact.kind === 'event') return fact.event.received_at;
  return fact.kind === 'outcome' ? deliveryAt(fact.outcome) : Number.POSITIVE_INFINITY;
}

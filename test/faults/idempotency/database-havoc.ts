/** Disturbances of requests that are in progress in the database. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Postgres } from '#lib/postgres';
import type { Pipeline } from '../../support/pipeline.ts';
import { waitUntil } from '../../support/wait-until.ts';
import type { Fault } from '../checker/history.ts';
import type { ApiName } from './history.ts';

export interface DatabaseHavoc {
  /**
   * SIGSTOP of a process with open transactions: requests are blocked where they write, the process is stopped, and they continue without
   * it. Then SIGCONT.
   *
   * @param where the tables whose writes are blocked
   */
  stopOwner(name: ApiName, seconds: number, where: readonly WrittenTable[]): Promise<void>;
  /** Ends so many of the connections of both processes that are in the middle of something, one at least. */
  cutConnections(share: number): Promise<void>;
}

interface Options {
  pipeline: Pipeline;
  postgres: Postgres;
  /** Has endpoints of their own asked for, as many at each process. @returns when each has its answer */
  askAtBoth(keys: number): Promise<void>;
  random: () => number;
  faults: Fault[];
  say(line: string): void;
}

/** The table that each of the two requests writes first, after the record of its key. */
type WrittenTable = 'endpoints' | 'tenant_clocks';

/** Connections of one process of the API. */
const maxConnections = 10;
/**
 * Keys blocked by a sleep at each process: together more than a process has connections, so that some are blocked at each.
 */
export const keysHeldUp = maxConnections / 2 + 1;
/** Longer than a statement may take: a refused request is retried. */
const heldUpTimeoutMs = 15_000;
/** Until what was cut has been asked again. */
const settlingMs = 5_000;

const busyTimeoutMs = 30_000;

const connectionsInTransactions = `
SELECT pid FROM pg_stat_activity
 WHERE datname = current_database() AND application_name LIKE 'hookline-api%' AND state <> 'idle'
 ORDER BY pid`;

const writersWaiting = `
SELECT DISTINCT pid FROM pg_locks WHERE NOT granted AND relation = ANY ($1::text[]::regclass[])`;

const stillConnected = 'SELECT pid FROM pg_stat_activity WHERE pid = ANY ($1::int[])';

export function createDatabaseHavoc(options: Options): DatabaseHavoc {
  const { pipeline, postgres, askAtBoth, random, faults, say } = options;
  return {
    async stopOwner(name, seconds, where) {
      let stopped: Promise<void> | undefined;
      let answered: Promise<void> | undefined;
      let ended = 0;
      try {
        await postgres.transaction(async (tx) => {
          await tx.query(`LOCK TABLE ${where.join(', ')} IN SHARE MODE`);
          answered = askAtBoth(keysHeldUp);
          const heldUp = await waitUntil(
            'requests are held up at both',
            async () => {
              const waiting = await tx.query<{ pid: number }>(writersWaiting, [where]);
              return waiting.length > maxConnections && waiting.map(({ pid }) => pid);
            },
            { timeoutMs: heldUpTimeoutMs, everyMs: 20 },
          );
          stopped = pipeline.freezeService(name, async () => {
            await delay(seconds * 1_000);
            ended = heldUp.length - (await postgres.query(stillConnected, [heldUp])).length;
          });
        });
      } finally {
        await stopped;
        await answered;
      }
      if (ended === 0) throw new Error(`${name} has lost no lease: it was not stopped in the middle of anything`);
      say(`${name} slept for ${seconds} s as the owner of ${ended} keys, and lost them`);
    },
    async cutConnections(share) {
      const fault: Fault = { what: 'connections cut', service: 'api', atMs: Date.now(), settledAtMs: Infinity };
      faults.push(fault);
      const inTransactions = await waitUntil(
        'connections are in a transaction',
        async () => {
          const rows = await postgres.query<{ pid: number }>(connectionsInTransactions);
          return rows.length > 0 && rows.map(({ pid }) => pid);
        },
        { timeoutMs: busyTimeoutMs, everyMs: 2 },
      );
      const one = Math.floor(random() * inTransactions.length);
      const cut = inTransactions.filter((_, index) => index === one || random() < share);
      await postgres.query('SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS cut (pid)', [cut]);
      fault.settledAtMs = Date.now() + settlingMs;
    },
  };
}

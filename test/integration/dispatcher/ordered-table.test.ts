import fc from 'fast-check';
import type { StoredWaitingRow } from '#lib/event-store';
import { createPostgres, type Postgres, type Query } from '#lib/postgres';
import { silentLogger, systemClock } from '#lib/runtime';
import { createOrderedRows } from '../../../services/dispatcher/ordered/ordered-rows.ts';
import { createOrderedTable, type OrderedTable } from '../../../services/dispatcher/ordered/ordered-table.ts';
import { waitingColumns, waitingRowOf } from '../../../services/dispatcher/model/waiting-row.ts';
import {
  aTurn,
  anyChanges,
  turnOf,
  faultyKeys,
  followsItsRules,
  orderedRow,
  type OrderedTables,
  orderedTableConformance,
  rowRef,
} from '../../support/ordered-table-conformance.ts';
import { createDatabase } from '../../support/servers.ts';
import { waitUntil } from '../../support/wait-until.ts';

type Statement = 'lock-partitions' | 'set-due-times';
type Transactions = Pick<Postgres, 'transaction'>;

/** The same but for one of its statements. */
const without = (postgres: Transactions, statement: Statement): Transactions => ({
  transaction: (work) =>
    postgres.transaction((tx) =>
      work({ query: async (text, values, name) => (name === statement ? [] : tx.query(text, values, name)) }),
    ),
});

describe('the ordered rows on Postgres', () => {
  let postgres: Postgres;
  let databaseUrl: string;
  let tables: OrderedTables;
  beforeAll(async () => {
    databaseUrl = await createDatabase();
    postgres = createPostgres({
      url: databaseUrl,
      applicationName: 'hookline-test',
      maxConnections: 4,
      statementTimeoutMs: 30_000,
      log: silentLogger,
    });
    await postgres.start();
    tables = tablesOn(createOrderedTable(postgres, postgres));
  });
  afterAll(() => postgres?.stop());

  const tablesOn = (ordered: OrderedTable): OrderedTables => ({
    ordered,
    rows: async () =>
      (await postgres.query<StoredWaitingRow>(`SELECT ${waitingColumns} FROM waiting w ORDER BY w.sequence`)).map(
        waitingRowOf,
      ),
    addDelivery: async (id, { step, status }) =>
      void (await postgres.query(
        `INSERT INTO deliveries (tenant, id, event_id, endpoint_id, generation, status, step, created_at, updated_at)
         VALUES ('acme', $1, 'evt_1', 'ep_1', 0, $2, $3, now(), now())`,
        [id, status, step],
      )),
    clear: async () => void (await postgres.query('TRUNCATE waiting, deliveries')),
  });

  orderedTableConformance(() => tables, { numRuns: 40 });

  it('would leave a key that is never due, or two of it that are, if the times were not set after each change', async () => {
    const mutant = tablesOn(createOrderedTable(without(postgres, 'set-due-times'), postgres));
    const run = await fc.check(
      fc.asyncProperty(anyChanges, (changes) => followsItsRules(mutant, changes)),
      { numRuns: 100, endOnFailure: true },
    );
    expect(run.failed).toBe(true);
  });

  it('with locks that are waited for shortly, rows of one tenant that are locked delay no change of another', async () => {
    await tables.clear();
    const short = createPostgres({
      url: databaseUrl,
      applicationName: 'hookline-test',
      maxConnections: 2,
      log: silentLogger,
      statementTimeoutMs: 30_000,
      lockTimeoutMs: 200,
    });
    await short.start();
    const ordered = createOrderedRows({
      table: createOrderedTable(short, short),
      clock: systemClock,
      random: Math.random,
    });
    const of = (tenant: string, at: number) => ({ ...orderedRow({ at }), tenant, deliveryId: `${tenant} ${at}` });
    const write = (tenant: string, at: number) => ordered.write(of(tenant, at), () => true);
    await write('held', 1);
    const written: string[] = [];
    const later: Promise<unknown>[] = [];
    await postgres.transaction(async (holder) => {
      await holder.query(`SELECT FROM waiting WHERE tenant = 'held' FOR UPDATE`);
      // The second changes when the first, which is locked, is due.
      for (const at of [0, 2]) later.push(write('held', at).then(() => written.push(`held ${at}`)));
      const startedAtMs = Date.now();
      for (const at of [1, 2, 3]) await write('free', at);
      expect(Date.now() - startedAtMs).toBeLessThan(5_000);
      const [mine, theirs] = ['free', 'held'].map((tenant) => ({ ...rowRef({ at: 1 }), ...of(tenant, 1) }));
      expect(await ordered.remove([mine, theirs].flatMap((row) => row ?? []))).toEqual([theirs]);
      expect(written).toEqual([]);
    });
    await Promise.all(later);
    expect(written).toEqual(['held 0', 'held 2']);
    await short.stop();
  });

  describe('with an earlier owner that still writes', () => {
    /** One stops before its commit, until the other is done with its change, or has to wait for the first. */
    async function crossed(
      one: Parameters<typeof aTurn>[0],
      other: Parameters<typeof aTurn>[0],
      on: Transactions = postgres,
    ): Promise<string[]> {
      const reached = Promise.withResolvers<void>();
      const mayCommit = Promise.withResolvers<void>();
      const pausing: Transactions = {
        transaction: (work) =>
          on.transaction(async (tx: Query) => {
            const result = await work(tx);
            reached.resolve();
            await mayCommit.promise;
            return result;
          }),
      };
      const first = createOrderedTable(pausing, postgres).apply(aTurn(one));
      await reached.promise;
      let isDone = false;
      const second = createOrderedTable(on, postgres)
        .apply(aTurn(other))
        .finally(() => (isDone = true));
      await waitUntil('the other is done, or waits', async () => isDone || (await someoneWaits()), { everyMs: 10 });
      mayCommit.resolve();
      await Promise.all([first, second]);
      return faultyKeys(tables);
    }
    const someoneWaits = async (): Promise<boolean> =>
      (
        await postgres.query(
          `SELECT FROM pg_locks
            WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        )
      ).length > 0;

    // The row would stand after one that leaves at this moment, and nobody would look for it again.
    const leaving = { removed: [rowRef({ at: 1 })] };
    const joining = { rows: [orderedRow({ at: 2 })] };
    // Neither sees the other: both would be due.
    const [early, late] = [{ rows: [orderedRow({ at: 1 })] }, { rows: [orderedRow({ at: 2 })] }];

    it('leaves every key with one row that is due', async () => {
      await tables.ordered.apply(aTurn(early));
      expect(await crossed(leaving, joining)).toEqual([]);
      await tables.clear();
      expect(await crossed(early, late)).toEqual([]);
    });

    it('would leave one with none, or with two, if partitions were not locked', async () => {
      const unlocked = without(postgres, 'lock-partitions');
      await tables.ordered.apply(aTurn(early));
      expect(await crossed(leaving, joining, unlocked)).not.toEqual([]);
      await tables.clear();
      expect(await crossed(early, late, unlocked)).not.toEqual([]);
    });

    it('leaves every key so, whatever both write and remove at once', async () => {
      await fc.assert(
        fc.asyncProperty(anyChanges, anyChanges, async (one, other) => {
          await tables.clear();
          const make = async (changes: typeof one): Promise<void> => {
            for (const change of changes) await tables.ordered.apply(turnOf(change));
          };
          await Promise.all([make(one), make(other)]);
          expect(await faultyKeys(tables)).toEqual([]);
        }),
        { numRuns: 20 },
      );
    });
  });
});

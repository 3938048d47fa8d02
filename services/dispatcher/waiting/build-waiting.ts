import type { Postgres } from '#lib/postgres';
import type { ServiceContext } from '#lib/service-host';
import type { Endpoints } from '../endpoints/build-endpoints.ts';
import type { Scheduler } from '../lanes/scheduler.ts';
import type { DispatcherMetrics } from '../metrics.ts';
import type { OwnedPartitions } from '../model/owned-partitions.ts';
import type { RecentSteps } from '../model/recent-steps.ts';
import type { OutcomeWriter } from '../send/outcome-writer.ts';
import { createEndCancelled } from './end-cancelled.ts';
import { createEndOverdue } from './end-overdue.ts';
import { createOverdueTable } from './overdue-table.ts';
import { createReadContents } from './read-contents.ts';
import { createServedRows, type RemovesRows } from './served-rows.ts';
import { createWaitingRows, type ReleaseOrdered } from './waiting-rows.ts';
import { createWaitingTable } from './waiting-table.ts';

interface TableDeps {
  postgres: Postgres;
  indexScanPool: Postgres;
  directory: Endpoints['directory'];
  orderedRows: RemovesRows;
}

/** The table `waiting` and related tables. */
export function buildWaitingTables({ postgres, indexScanPool, directory, orderedRows }: TableDeps) {
  const table = createWaitingTable(postgres, indexScanPool);
  return {
    table,
    overdueTable: createOverdueTable(postgres, indexScanPool),
    readContents: createReadContents(table, directory),
    servedRows: createServedRows({ table, orderedRows }),
  };
}

type WaitingTables = ReturnType<typeof buildWaitingTables>;

interface Deps {
  context: Pick<ServiceContext, 'clock' | 'log'>;
  tables: WaitingTables;
  releaseOrdered: ReleaseOrdered;
  owned: OwnedPartitions;
  endpoints: Pick<Endpoints, 'directory' | 'health'>;
  scheduler: Scheduler;
  recentSteps: RecentSteps;
  outcomes: OutcomeWriter;
  metrics: DispatcherMetrics;
}

/** Reads the rows: due ones go to their lanes, those that can't come back are ended. */
export function buildWaitingRows({ context, tables, endpoints, ...deps }: Deps) {
  const { clock, log } = context;
  const { table, overdueTable, readContents, servedRows } = tables;
  const parts = { ...deps, ...endpoints, readContents, clock };
  return createWaitingRows({
    ...parts,
    table,
    servedRows,
    endOverdue: createEndOverdue({ ...parts, table: overdueTable }),
    endCancelled: createEndCancelled({ ...parts, table: overdueTable }),
    log,
  });
}

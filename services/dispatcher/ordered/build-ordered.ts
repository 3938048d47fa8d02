import type { Postgres } from '#lib/postgres';
import type { WaitOut } from '#lib/runtime';
import type { ServiceContext } from '#lib/service-host';
import type { Endpoints } from '../endpoints/build-endpoints.ts';
import type { Scheduler } from '../lanes/scheduler.ts';
import type { EndpointRef } from '../model/job.ts';
import type { OwnedPartitions } from '../model/owned-partitions.ts';
import type { RecentSteps } from '../model/recent-steps.ts';
import type { OutcomeWriter } from '../send/outcome-writer.ts';
import type { ReadContents } from '../waiting/read-contents.ts';
import { createOrderedIntake } from './ordered-intake.ts';
import { createOrderedRows, type OrderedRows } from './ordered-rows.ts';
import { createOrderedTable } from './ordered-table.ts';
import { createReleaseOrdered } from './release-ordered.ts';

interface RowsDeps {
  context: Pick<ServiceContext, 'clock' | 'log'>;
  postgres: Postgres;
  indexScanPool: Postgres;
  owned: OwnedPartitions;
}

/** The ordered rows; depend on Postgres only. */
export function buildOrderedRows({ context, postgres, indexScanPool, owned }: RowsDeps) {
  const { clock, log } = context;
  const table = createOrderedTable(postgres, indexScanPool);
  const orderedRows = createOrderedRows({ table, clock, random: Math.random });
  return {
    orderedRows,
    wakeRows({ tenant, endpointId }: EndpointRef): void {
      const waking = orderedRows.wake({ tenant, endpointId, partitions: owned.numbers() });
      // If this fails, the keys resume when their first rows are due.
      void waking.catch((error: unknown) => log.warn({ event: 'ordered.not_woken', tenant, endpointId, err: error }));
    },
  };
}

interface Deps {
  context: Pick<ServiceContext, 'clock'>;
  orderedRows: OrderedRows;
  readContents: ReadContents;
  owned: OwnedPartitions;
  endpoints: Pick<Endpoints, 'directory' | 'health'>;
  scheduler: Scheduler;
  recentSteps: RecentSteps;
  outcomes: OutcomeWriter;
  waitOut: WaitOut;
  onFailure(error: Error): void;
}

/** The two ways into a lane that keep the order: from the topic, and from the rows. */
export function buildOrdered({ context, endpoints, ...deps }: Deps) {
  const parts = { ...deps, ...endpoints, clock: context.clock };
  return { orderedIntake: createOrderedIntake(parts), releaseOrdered: createReleaseOrdered(parts) };
}

import { createManualClock, type ManualClock, silentLogger } from '#lib/runtime';
import { createEndpointHealth } from '../../../services/dispatcher/endpoints/endpoint-health.ts';
import type { RecordJob } from '../../../services/dispatcher/model/job.ts';
import type { LanePlaces } from '../../../services/dispatcher/lanes/lane-places.ts';
import type { Pace } from '../../../services/dispatcher/model/endpoint.ts';
import { createScheduler, type SchedulerLimits } from '../../../services/dispatcher/lanes/scheduler.ts';
import type { SendVerdict } from '../../../services/dispatcher/endpoints/send-verdict.ts';
import { aRecordJob, aRowJob, inOrder, noMetrics, settle } from './fixtures.ts';

export const limits: SchedulerLimits = {
  inFlight: 100,
  lane: { records: 5, bytes: 1_000, rows: 3 },
  totalRecords: 1_000,
  totalBytes: 1_000_000,
  totalRows: 100,
};

interface Overrides extends Partial<Omit<SchedulerLimits, 'lane'>>, Partial<LanePlaces> {
  maxInFlight?: number;
  pace?: Pace;
}

/** Sends last until the test ends them. */
export function createWorld({
  maxInFlight = 2,
  pace,
  records = 5,
  bytes = 1_000,
  rows = 3,
  ...changed
}: Overrides = {}) {
  const clock: ManualClock = createManualClock();
  const endpoint = {
    maxInFlight,
    revision: 1,
    isClosed: false,
    isPaused: false,
    probeAskedAt: null as number | null,
  };
  const permits = { asked: [] as string[], waitMs: 0 };
  const started: string[] = [];
  const parked: string[] = [];
  const failures: Error[] = [];
  const heldBack: string[] = [];
  const ends = new Map<string, (verdict: SendVerdict) => void>();
  const parkEnds = new Map<string, () => void>();
  const world = { holdsMembership: true };
  let holdParks = false;
  let givenUp = false;
  const scheduler = createScheduler({
    limits: { ...limits, ...changed, lane: { records, bytes, rows } },
    clock,
    health: createEndpointHealth({
      factsOf: () => endpoint,
      metrics: noMetrics,
      onClosed: () => undefined,
      clock,
      random: () => 1,
      log: silentLogger,
    }),
    paceOf: () => pace,
    holdsMembership: () => world.holdsMembership,
    takePermit: async ({ endpointId }) => (permits.asked.push(endpointId), permits.waitMs),
    async run(job, observed) {
      started.push(job.delivery.id);
      const verdict = await new Promise<SendVerdict>((resolve) => ends.set(job.delivery.id, resolve));
      observed(verdict);
      return verdict.kind === 'well' ? 'over' : 'waits';
    },
    async park(job: RecordJob) {
      parked.push(job.delivery.id);
      if (holdParks) await new Promise<void>((resolve) => parkEnds.set(job.delivery.id, resolve));
    },
    onHeldBack: (share) => heldBack.push(share),
    onFailure: (error) => failures.push(error),
    giveUp: () => (givenUp = true),
    drainMs: 10_000,
  });
  return {
    world,
    clock,
    endpoint,
    permits,
    scheduler,
    started,
    parked,
    failures,
    heldBack,
    givenUp: () => givenUp,
    holdParks: () => (holdParks = true),
    endPark: (id: string) => (parkEnds.get(id)?.(), settle()),
    end: async (id: string, kind: SendVerdict['kind'] = 'well') => {
      ends.get(id)?.(kind === 'wait' ? { kind, waitMs: 5_000 } : { kind });
      await settle();
    },
    offer: (id: string, endpointId = 'ep_1', size = 10) =>
      scheduler.offer(aRecordJob({ id, endpointId, payload: Buffer.alloc(size) })),
    offerOf: (tenant: string, id: string, size = 10) =>
      scheduler.offer(aRecordJob({ id, tenant, payload: Buffer.alloc(size) })),
    offerRow: (id: string, endpointId = 'ep_1') => scheduler.offer(aRowJob({ id, endpointId })),
    /** The nth of its key. */
    offerInOrder: (id: string, sequence: number, key?: string) =>
      scheduler.offer(inOrder(aRecordJob({ id }), sequence, key)),
    offerRowInOrder: (id: string, sequence: number, key?: string) =>
      scheduler.offer(inOrder(aRowJob({ id }), sequence, key)),
  };
}

export const numbered = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${prefix}${at}`);

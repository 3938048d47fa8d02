import type { Delivery } from '#lib/contract';
import { createSharedRoom, type SharedRoom, type ShareName } from '#lib/tenancy';
import { deliveryKey, type Job } from '../model/job.ts';

/** Shares of tenants in the lanes. */
export const dispatcherShares = [
  'places_in_flight',
  'queued_deliveries',
  'queued_bytes',
  'queued_rows',
] as const satisfies ShareName[];
export type DispatcherShare = (typeof dispatcherShares)[number];

/** The jobs of all lanes, queued, in flight or being parked; bounded for each tenant by its share. */
export interface JobsInHand {
  hasRoomFor(job: Job): boolean;
  add(job: Job): void;
  remove(job: Job): void;
  /** The job that has this delivery in hand. */
  get(delivery: Pick<Delivery, 'tenant' | 'id'>): Job | undefined;
  rows(): Job[];
  count(): number;
  /** The tenant has used more than half of its share of places for these jobs, or of their bytes. */
  isCrowded(tenant: string, from: Job['from']): boolean;
  readonly rooms: Readonly<Record<Exclude<DispatcherShare, 'places_in_flight'>, SharedRoom>>;
}

export interface JobLimits {
  /** Jobs in hand; rows have a memory limit of the same size. */
  totalRecords: number;
  totalBytes: number;
  totalRows: number;
}

/** @param onHeldBack a tenant has no room left for a fresh delivery */
export function createJobsInHand(limits: JobLimits, onHeldBack: (share: DispatcherShare) => void): JobsInHand {
  const held = new Map<string, Job>();
  const inHand: Record<Job['from'], { jobs: SharedRoom; bytes: SharedRoom }> = {
    record: { jobs: createSharedRoom(limits.totalRecords), bytes: createSharedRoom(limits.totalBytes) },
    row: { jobs: createSharedRoom(limits.totalRows), bytes: createSharedRoom(limits.totalBytes) },
  };

  function take({ from, delivery: { tenant, payload } }: Job, sign: 1 | -1): void {
    inHand[from].jobs.take(tenant, sign);
    inHand[from].bytes.take(tenant, sign * payload.length);
  }

  return {
    hasRoomFor({ from, delivery: { tenant, payload } }) {
      const { jobs, bytes } = inHand[from];
      const [hasJobs, hasBytes] = [jobs.mayTake(tenant), bytes.mayTake(tenant, payload.length)];
      if (from === 'record' && !hasJobs) onHeldBack('queued_deliveries');
      if (from === 'record' && !hasBytes) onHeldBack('queued_bytes');
      return hasJobs && hasBytes;
    },
    add(job) {
      held.set(deliveryKey(job.delivery), job);
      take(job, 1);
    },
    remove(job) {
      held.delete(deliveryKey(job.delivery));
      take(job, -1);
    },
    get: (delivery) => held.get(deliveryKey(delivery)),
    rows: () => [...held.values()].filter(({ from }) => from === 'row'),
    count: () => held.size,
    isCrowded(tenant, from) {
      const { jobs, bytes } = inHand[from];
      return [jobs, bytes].some((room) => room.held(tenant) > room.shareOf(tenant) / 2);
    },
    rooms: {
      queued_deliveries: inHand.record.jobs,
      queued_bytes: inHand.record.bytes,
      queued_rows: inHand.row.jobs,
    },
  };
}

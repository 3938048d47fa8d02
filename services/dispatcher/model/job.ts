import type { Delivery, WaitingStatus } from '#lib/contract';
import type { IncomingRecord } from '#lib/kafka';
import type { Order } from './ordering.ts';

/** A delivery in the dispatcher's hands, from its intake until its outcome is durable or it is released. */
export type Job = RecordJob | RowJob;

interface Work {
  readonly delivery: Delivery;
  /** Undefined: the delivery waits for no other. */
  readonly order: Order | undefined;
  /** The number that the record of its outcome will have. */
  readonly step: number;
  /** Sends so far. */
  readonly attempts: number;
}

/** Fresh from `deliveries`. */
export interface RecordJob extends Work {
  readonly from: 'record';
  /** The records that wait for its outcome: several if the topic has the delivery twice, or delivers it again. */
  readonly claims: IncomingRecord[];
}

/** Read back from `waiting`. */
export interface RowJob extends Work {
  readonly from: 'row';
  readonly state: WaitingStatus;
  /** Since when it could have been sent (lane-waits.ts), in microseconds. */
  readonly readyAt: number;
  /** Aborts when the row's partition is lost. */
  readonly signal: AbortSignal;
}

/** The partition is lost: its new owner has the delivery. */
export const isAbandoned = (job: Job): boolean =>
  job.from === 'row' ? job.signal.aborted : job.claims.every(({ signal }) => signal.aborted);

export const deliveryKey = ({ tenant, id }: Pick<Delivery, 'tenant' | 'id'>): string => `${tenant}/${id}`;

export type EndpointRef = Pick<Delivery, 'tenant' | 'endpointId'>;

export const laneKey = ({ tenant, endpointId }: EndpointRef): string => `${tenant}/${endpointId}`;

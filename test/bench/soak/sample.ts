import type { PipelineService } from '../../support/stack.ts';
import type { Lags } from '../support/lags.ts';

/** The measurements of one moment. */
export interface Sample {
  /** Since the load began. */
  atSeconds: number;
  processes: Readonly<Record<PipelineService, ProcessSample>>;
  /** By consumer group: records in its topics so far, and the uncommitted ones. */
  topics: Readonly<Lags>;
  postgres: PostgresSample;
  redis: RedisSample;
  /** Since the load began. */
  accepted: number;
  arrived: number;
}

export interface ProcessSample {
  residentMib: number;
  heapMib: number;
  /** Memory of V8 outside of its heap, such as buffers. */
  externalMib: number;
  handles: number;
  /** Established, over TCP. */
  connections: number;
  threads: number;
  loopLagP99Ms: number;
  /** Since the process began. */
  processorSeconds: number;
}

export interface PostgresSample {
  sessions: number;
  /** Deliveries that wait for a time or for room. */
  waiting: number;
  /** Events that the API has taken and not published yet. */
  unpublished: number;
  /** With partitions, indexes and what is stored beside the rows. */
  tableMib: Readonly<Record<string, number>>;
}

export interface RedisSample {
  usedMib: number;
  keys: number;
  clients: number;
}

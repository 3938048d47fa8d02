import type { Registry } from 'prom-client';
import { defaultDecompressedBytes, defaultSessionTimeoutMs } from '#lib/config';
import type { Clock, Logger, Part } from '#lib/runtime';
import type { KafkaAccess } from '../access.ts';
import type { PartitionRef, RecordHandler, UndecodableBatchHandler } from '../port.ts';
import type { GatheringOptions } from './gathering.ts';
import type { CallLimits } from './handler-calls.ts';
import type { WorkLimits } from './partition-worker.ts';

export interface ConsumerOptions extends KafkaAccess {
  /** Names the process to the brokers. */
  clientId: string;
  groupId: string;
  topics: readonly string[];
  handle: RecordHandler;
  onUndecodable: UndecodableBatchHandler;
  clock: Clock;
  log: Logger;
  metrics: Registry;
  /** The consumer has ended and will not go on by itself: the process must end. Called once at most. */
  onFailure(error: Error): void;
  /** Partitions that this member owns from now on; before the first of their records is handled. */
  onAssigned?(partitions: readonly PartitionRef[]): void;
  /** A partition that was assigned will be read from this offset: everything below it was done by an earlier owner. */
  onOpened?(partition: PartitionRef, startOffset: bigint): void;
  /**
   * The first records since a partition was assigned have arrived, and are handled next. Records below `endOffset` were on the topic by then: an
   * earlier owner may have handled them.
   */
  onFirstRead?(partition: PartitionRef, endOffset: bigint): void;
  /** Partitions that this member has lost; their handlers' signals have been aborted. Not called by `stop`. */
  onRevoked?(partitions: readonly PartitionRef[]): void;
  /** Calls of `handle` that are under way at once, each with other partitions, beside those that take long. Default 2. */
  maxCalls?: number;
  /** Partitions of one call of `handle`. Default: all that have something. */
  maxPartitionsPerCall?: number;
  /** Records of one call of `handle`. Default 500. */
  maxBatchRecords?: number;
  /** Bytes of one call of `handle`; a larger record comes alone. Default 4 MiB. */
  maxBatchBytes?: number;
  /** Records of a partition that wait to be handed out; at the bound it is paused (one fetch may go beyond). Default 1,000. */
  maxQueuedRecords?: number;
  /** The same in bytes. Default 8 MiB. */
  maxQueuedBytes?: number;
  /** Records of a partition that were handed out and are not done; at the bound no more are. Default 2,000. */
  maxOutstanding?: number;
  /** The same in bytes. Default 16 MiB. */
  maxOutstandingBytes?: number;
  /** Records of a partition that are handed out beyond one that is not done: so many are read again after a crash. Default 100,000. */
  maxSpan?: number;
  /** The most that a batch may have when it is decompressed; a larger one can't be decoded. Default as in libs/config. */
  maxDecompressedBytes?: number;
  /** The longest that a record waits for others at its broker, while they keep coming: see fetch-pace.ts. Default 0: none waits. */
  gatherMs?: number;
  /** Records that were fetched are held back for others, while nobody waits for them: see gathering.ts. Default: none is. */
  gathering?: GatheringOptions;
  /** How long what is done waits for its commit: a process that dies leaves so much to be repeated. Default 1,000. */
  commitIntervalMs?: number;
  /** Time after which the group continues without a member that has died; heartbeats are five times as frequent. Default as in libs/config. */
  sessionTimeoutMs?: number;
  /** Time for handlers to finish before a rebalance goes on. Default 1,000. */
  rebalanceDrainMs?: number;
  /** Time for handlers to finish at a stop, before their signals abort. Default 5,000. */
  stopDrainMs?: number;
  /** Between two looks at how far it is behind. Default 10,000: it is scraped no oftener. */
  lagIntervalMs?: number;
  /** How long it may hear nothing of its group, while the coordinator answers others, before it is built anew: see supervised-consumer.ts. Default 45,000. */
  rebuildAfterMs?: number;
  /** How long the coordinator may take to answer whoever asks for another. Default 10,000. */
  coordinatorLimitMs?: number;
  /** How long a partition waits for the handler that it had before, which has been aborted. Default 30,000. */
  handlerReturnMs?: number;
  /** From 0 up to 1: the jitter of rebuilds. Default Math.random. */
  random?: () => number;
}

export interface RecordConsumer extends Part {
  /** The partitions assigned to this member now. */
  partitions(): readonly PartitionRef[];
  /** Ends the gathering: what was fetched by now is handed out. */
  handOut(): void;
  /** Whether it is a member of its group; not before its first join. */
  isReady(): boolean;
  /** Whether no other member can have these partitions now, however long this process may have been paused: see membership-lease.ts. */
  holdsMembership(): boolean;
}

export const sessionTimeoutOf = ({ sessionTimeoutMs = defaultSessionTimeoutMs }: ConsumerOptions): number =>
  sessionTimeoutMs;
export const heartbeatIntervalOf = (options: ConsumerOptions): number => sessionTimeoutOf(options) / 5;
export const rebuildAfterOf = ({ rebuildAfterMs = 45_000 }: ConsumerOptions): number => rebuildAfterMs;

const mebibyte = 1024 * 1024;

export const callLimitsOf = (options: ConsumerOptions): CallLimits => ({
  maxCalls: options.maxCalls ?? 2,
  maxPartitions: options.maxPartitionsPerCall ?? Number.POSITIVE_INFINITY,
  maxBatchRecords: options.maxBatchRecords ?? 500,
  maxBatchBytes: options.maxBatchBytes ?? 4 * mebibyte,
});

export const workLimitsOf = (options: ConsumerOptions): WorkLimits => ({
  maxQueuedRecords: options.maxQueuedRecords ?? 1_000,
  maxQueuedBytes: options.maxQueuedBytes ?? 8 * mebibyte,
  maxOutstanding: options.maxOutstanding ?? 2_000,
  maxOutstandingBytes: options.maxOutstandingBytes ?? 16 * mebibyte,
  maxSpan: options.maxSpan ?? 100_000,
  maxBatchBytes: options.maxDecompressedBytes ?? defaultDecompressedBytes,
});

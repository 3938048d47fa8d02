import type { Kafka } from 'kafkajs';
import type { ConsumerMeter } from '../metrics.ts';
import type { PartitionRef } from '../port.ts';
import type { ReturningHandlers } from './assignment.ts';
import type { ConsumerOptions } from './consumer-options.ts';
import type { CrashPolicy } from './rebuilding/crash-policy.ts';
import type { DoubtReason } from './rebuilding/rebuild-watch.ts';

/** One consumer on one client, until it is in doubt; then supervised-consumer.ts puts another in its place. */
export interface Consumption {
  /** Once it has joined, or crashed. @throws AppError kafka_unavailable where it can't connect in time */
  start(): Promise<void>;
  /** In order and in bounded time, also while it starts. */
  stop(): Promise<void>;
  /** At once, and without waiting for anything: from now on it does nothing, whatever still happens to it. */
  discard(): void;
  partitions(): readonly PartitionRef[];
  /** Holds back nothing of what it has fetched. */
  handOut(): void;
  holdsMembership(): boolean;
  /** Its last member id; undefined before its first join. */
  lastMemberId(): string | undefined;
}

export interface ConsumptionOptions extends ConsumerOptions {
  /** The caller that discards this consumer destroys the sockets of these clients. */
  createClient(): Kafka;
  meter: ConsumerMeter;
  crashes: CrashPolicy;
  /** Shared with the consumers before it. */
  returning: ReturningHandlers;
  connectTimeoutMs: number;
  /** The coordinator has answered a heartbeat, or a join. */
  onHeard(): void;
  onDoubt(reason: DoubtReason): void;
}

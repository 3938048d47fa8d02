import type { Clock } from '#lib/runtime';

/** Whether a consumer that crashed is worth another start inside this process. */
export interface CrashPolicy {
  /** Records arrived: whatever was wrong is over. */
  progressed(): void;
  mayRestart(error: Error): boolean;
}

/**
 * kafkajs restarts a consumer for as long as it crashes, also where every start meets the same end. Brokers that are away come back,
 * so that is waited for; anything else that lasts is for the supervisor, who sees a process end.
 */
export function createCrashPolicy(clock: Clock, limits: { awayMs: number; otherMs: number }): CrashPolicy {
  let failingSinceMs: number | undefined;
  return {
    progressed() {
      failingSinceMs = undefined;
    },
    mayRestart(error) {
      failingSinceMs ??= clock.monotonicMs();
      const limitMs = isBrokerAway(error) ? limits.awayMs : limits.otherMs;
      return clock.monotonicMs() - failingSinceMs < limitMs;
    },
  };
}

const awayNames = new Set([
  'KafkaJSConnectionError',
  'KafkaJSConnectionClosedError',
  'KafkaJSRequestTimeoutError',
  'KafkaJSBrokerNotFound',
  'KafkaJSNoBrokerAvailableError',
  'KafkaJSGroupCoordinatorNotFound',
  'KafkaJSLockTimeout',
]);
const awayTypes = new Set([
  'LEADER_NOT_AVAILABLE',
  'NOT_LEADER_FOR_PARTITION',
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'NOT_COORDINATOR_FOR_GROUP',
  'GROUP_LOAD_IN_PROGRESS',
]);

export function isBrokerAway(error: Error): boolean {
  const { type } = error as { type?: unknown };
  return awayNames.has(error.name) || (typeof type === 'string' && awayTypes.has(type));
}

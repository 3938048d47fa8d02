import { type ISocketFactory, Kafka, type LogEntry, logLevel, type RetryOptions } from 'kafkajs';
import type { Logger } from '#lib/log';
import type { KafkaAccess } from './access.ts';
import { bearClockSteps } from './kafkajs-patches/clock-steps.ts';
import { waitForCoordinators } from './kafkajs-patches/coordinator-not-found.ts';
import { countRequests } from './kafkajs-patches/count-requests.ts';
import { socketsOver } from './kafkajs-patches/create-socket.ts';
import { readFetchResponses } from './kafkajs-patches/fetch-response.ts';
import { keepConnectionsFresh } from './kafkajs-patches/fresh-connections.ts';
import { announceOffsetsOutOfRange } from './kafkajs-patches/offset-out-of-range.ts';
import { rejoinWithoutMemberId } from './kafkajs-patches/rejoin-without-member-id.ts';
import { tameRequestQueuePolling } from './kafkajs-patches/request-queue-polling.ts';

export interface ClientOptions extends KafkaAccess {
  clientId: string;
  log: Pick<Logger, 'debug'>;
  /** The longest that a broker may take over one request. */
  requestTimeoutMs?: number;
  /** How often kafkajs itself tries again; default: `clientRetry`. */
  retry?: typeof clientRetry;
  /** Opens its sockets; default: as create-socket.ts does. */
  openSocket?: ISocketFactory;
}

/** kafkajs's defaults depend on NODE_ENV, so every field is given wherever it takes retry options. */
export const clientRetry: Required<Omit<RetryOptions, 'restartOnFailure'>> = {
  initialRetryTime: 100,
  maxRetryTime: 1_000,
  factor: 0.2,
  multiplier: 2,
  retries: 4,
};

/** For calls that we retry ourselves. */
export const noRetry: typeof clientRetry = { ...clientRetry, retries: 0 };

/** How old kafkajs lets its metadata become (its default is five minutes). */
export const metadataMaxAgeMs = 30_000;

/**
 * A kafkajs client with the settings that all parts of this lib share. Each producer connection, consumer and admin has a client of
 * its own: consumers of one client share a table of committed offsets.
 */
export function createClient(options: ClientOptions): Kafka {
  countRequests();
  tameRequestQueuePolling();
  readFetchResponses();
  bearClockSteps();
  keepConnectionsFresh();
  waitForCoordinators();
  rejoinWithoutMemberId();
  announceOffsetsOutOfRange();
  return new Kafka({
    brokers: [...options.brokers],
    clientId: options.clientId,
    socketFactory: options.openSocket ?? socketsOver(options.tls),
    ssl: options.tls !== undefined,
    ...(options.sasl && { sasl: options.sasl }),
    connectionTimeout: 5_000,
    authenticationTimeout: 10_000,
    requestTimeout: options.requestTimeoutMs ?? 12_000,
    enforceRequestTimeout: true,
    retry: options.retry ?? clientRetry,
    logLevel: logLevel.WARN,
    logCreator: () => (entry) => logAtDebug(options.log, entry),
  });
}

/** What kafkajs calls an error is mostly one of many tries: what matters is logged by those who give up. */
function logAtDebug(log: Pick<Logger, 'debug'>, entry: LogEntry): void {
  log.debug({ ...entry.log, event: 'kafka.client', namespace: entry.namespace });
}

/** kafkajs wraps an error once for every layer that gave up on it; what happened is innermost. */
export function rootCause(thrown: unknown): Error {
  let error = thrown instanceof Error ? thrown : new Error(String(thrown));
  while (error.cause instanceof Error) error = error.cause;
  return error;
}

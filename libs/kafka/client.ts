import { type ISocketFactory, Kafka, type LogEntry, logLevel, type RetryOptions } from 'kafkajs';
import type { Logger } from '#lib/runtime';
import type { KafkaAccess } from './access.ts';
import { applyPatches } from './kafkajs-patches/apply-patches.ts';
import { createSocketFactory } from './kafkajs-patches/create-socket.ts';

export interface ClientOptions extends KafkaAccess {
  clientId: string;
  log: Pick<Logger, 'debug'>;
  /** Time limit of one request. */
  requestTimeoutMs?: number;
  /** kafkajs's own retries; default: `clientRetry`. */
  retry?: typeof clientRetry;
  /** Opens its sockets; default: create-socket.ts. */
  openSocket?: ISocketFactory;
}

/** Every field is set, because kafkajs's defaults depend on NODE_ENV. */
export const clientRetry: Required<Omit<RetryOptions, 'restartOnFailure'>> = {
  initialRetryTime: 100,
  maxRetryTime: 1_000,
  factor: 0.2,
  multiplier: 2,
  retries: 4,
};

/** Calls that we retry ourselves. */
export const noRetry: typeof clientRetry = { ...clientRetry, retries: 0 };

/**
 * How long before a broker ends the session of a token a request authenticates anew (kafkajs's default is 10 s). A session that is shorter would
 * authenticate for each request, and brokers refuse that within a second: ILLEGAL_SASL_STATE.
 */
const reauthenticateBeforeMs = 3_000;

/** Maximum age of kafkajs's metadata (its default is five minutes). */
export const metadataMaxAgeMs = 30_000;

/**
 * Creates a kafkajs client with the settings that all parts of this lib share. Each producer connection, consumer and admin has its own
 * client: consumers of one client would share a table of committed offsets.
 */
export function createClient(options: ClientOptions): Kafka {
  applyPatches();
  return new Kafka({
    brokers: [...options.brokers],
    clientId: options.clientId,
    socketFactory: options.openSocket ?? createSocketFactory(options.tls),
    ssl: options.tls !== undefined,
    ...(options.sasl && { sasl: options.sasl }),
    connectionTimeout: 5_000,
    authenticationTimeout: 10_000,
    reauthenticationThreshold: reauthenticateBeforeMs,
    requestTimeout: options.requestTimeoutMs ?? 12_000,
    enforceRequestTimeout: true,
    retry: options.retry ?? clientRetry,
    logLevel: logLevel.WARN,
    logCreator: () => (entry) => logAtDebug(options.log, entry),
  });
}

/** kafkajs logs each failed try as an error; the caller that gives up logs what matters. */
function logAtDebug(log: Pick<Logger, 'debug'>, entry: LogEntry): void {
  log.debug({ ...entry.log, event: 'kafka.client', namespace: entry.namespace });
}

/** kafkajs wraps an error once per layer that gave up on it; the innermost is the cause. */
export function rootCause(thrown: unknown): Error {
  let error = thrown instanceof Error ? thrown : new Error(String(thrown));
  while (error.cause instanceof Error) error = error.cause;
  return error;
}

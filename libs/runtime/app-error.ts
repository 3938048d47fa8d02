/**
 * Exceptions mean our fault or the infrastructure's; what a sender, client or receiver does wrong is a return value instead.
 *
 * | code              | means                                                              | retryable |
 * |-------------------|--------------------------------------------------------------------|-----------|
 * | config_invalid    | the environment does not describe a runnable service               | no        |
 * | kafka_unavailable | no checked acknowledgment, or no connection, within the time limit | yes       |
 * | queue_full        | a bounded queue of ours has no room                                | yes       |
 * | redis_unavailable | Redis did not answer within its time limit                         | yes       |
 * | store_unavailable | Postgres did not answer within its time limit                      | yes       |
 * | registry_unavailable | the schema registry did not answer                              | yes       |
 * | data_invalid      | this one record or row can't be processed, however often           | no        |
 * | limit_reached     | the tenant has as much as it may have at once: libs/tenancy         | yes       |
 * | stopped           | asked of something that has been stopped                           | no        |
 * | bug               | a state that the code rules out                                    | no        |
 */
const retryableByCode = {
  config_invalid: false,
  kafka_unavailable: true,
  queue_full: true,
  redis_unavailable: true,
  store_unavailable: true,
  registry_unavailable: true,
  data_invalid: false,
  limit_reached: true,
  stopped: false,
  bug: false,
} as const;

export type AppErrorCode = keyof typeof retryableByCode;

export class AppError extends Error {
  readonly code: AppErrorCode;
  /** True if the same call may succeed later without any change. */
  readonly retryable: boolean;

  constructor(code: AppErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'AppError';
    this.code = code;
    this.retryable = retryableByCode[code];
  }
}

export function isAppError(error: unknown, code?: AppErrorCode): error is AppError {
  return error instanceof AppError && (code === undefined || error.code === code);
}

/** Turns any thrown value into an AppError; an unexpected one is a bug. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  return new AppError('bug', thrown instanceof Error ? thrown.message : String(thrown), { cause: thrown });
}

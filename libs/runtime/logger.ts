type Line = { event: string; [fact: string]: unknown };

/**
 * One wide line per unit of work: `event` names it (`delivery.attempted`), the other fields are facts with fixed names. `error` means that
 * someone must act. A line about a webhook, an event or a delivery has its `traceId`, and its `eventId` if known. No payloads, secrets or
 * idempotency keys.
 */
export interface Logger {
  /** Whether lines of this level are written. Asked before the facts of a line about one event, request or attempt are put together. */
  isOn(level: 'debug' | 'info'): boolean;
  debug(line: Line): void;
  info(line: Line): void;
  warn(line: Line): void;
  error(line: Line): void;
}

export const silentLogger: Logger = {
  isOn: () => false,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

import { type DestinationStream, pino } from 'pino';

/**
 * One wide line per unit of work: `event` names it (`delivery.attempted`), the other fields are facts with fixed names. `error` means that
 * someone must act. A line about a webhook, an event or a delivery has its `traceId`, and its `eventId` if known. No payloads, secrets or
 * idempotency keys.
 */
export interface Logger {
  debug(fields: { event: string; [fact: string]: unknown }): void;
  info(fields: { event: string; [fact: string]: unknown }): void;
  warn(fields: { event: string; [fact: string]: unknown }): void;
  error(fields: { event: string; [fact: string]: unknown }): void;
  child(facts: Record<string, unknown>): Logger;
}

export function createLogger(options: { service: string; level: string }, destination?: DestinationStream): Logger {
  return pino(
    { level: options.level, base: { service: options.service }, timestamp: pino.stdTimeFunctions.isoTime },
    destination ?? pino.destination(1),
  );
}

export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLogger,
};

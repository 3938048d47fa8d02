/**
 * Rows that are changed together: those that come within the linger, and those that come while the last ones are written. One write at a time.
 */
import { type Clock, type Logger, toAppError } from '#lib/runtime';

export interface RowBatches<Row> {
  /** @param isUrgent something waits for it: it goes with what is here now */
  add(row: Row, isUrgent: boolean): void;
  /** Resolves when everything is written, or has failed once more: nothing lingers and nothing is tried again from here on. */
  close(): Promise<void>;
}

interface Options<Row> {
  /** Names the change in the log. */
  name: string;
  write(rows: readonly Row[]): Promise<void>;
  lingerMs: number;
  maxRows: number;
  /** Failed changes are tried again for so long. */
  keptForMs: number;
  clock: Clock;
  log: Logger;
}

const retryMs = 1_000;

export function createRowBatches<Row>(options: Options<Row>): RowBatches<Row> {
  const { name, write, lingerMs, maxRows, keptForMs, clock, log } = options;
  const closing = new AbortController();
  let waiting: { row: Row; untilMs: number }[] = [];
  let working: Promise<void> | undefined;
  let isHurried = false;
  let lingering: AbortController | undefined;

  function hurry(): void {
    isHurried = true;
    lingering?.abort();
  }

  async function linger(): Promise<void> {
    lingering = new AbortController();
    await clock.sleep(lingerMs, lingering.signal);
    lingering = undefined;
  }

  async function work(): Promise<void> {
    while (waiting.length > 0) {
      if (!isHurried && !closing.signal.aborted) await linger();
      isHurried = false;
      const batch = waiting.splice(0, maxRows);
      try {
        await write(batch.map(({ row }) => row));
        if (waiting.length >= maxRows) isHurried = true;
      } catch (error) {
        log.warn({ event: 'outbox.rows_failed', change: name, rows: batch.length, err: toAppError(error) });
        if (closing.signal.aborted) continue;
        const nowMs = clock.monotonicMs();
        waiting = [...batch.filter(({ untilMs }) => untilMs > nowMs), ...waiting];
        await clock.sleep(retryMs, closing.signal);
      }
    }
    working = undefined;
  }

  return {
    add(row, isUrgent) {
      waiting.push({ row, untilMs: clock.monotonicMs() + keptForMs });
      if (isUrgent || waiting.length >= maxRows) hurry();
      working ??= work();
    },
    async close() {
      closing.abort();
      hurry();
      await working;
    },
  };
}

import type { Logger } from '#lib/log';
import type { Part } from './part.ts';

/** Parts that belong together: leaves first, so that a part may use those before it for as long as it runs. */
export interface PartGroup {
  /** In the order given; ends early where a stop has begun. @throws what the part throws that could not be started */
  start(): Promise<void>;
  /** In reverse, those that were started. A part that fails to stop is logged, and the others are stopped all the same. */
  stop(): Promise<void>;
  /** The names of those that were started and have not stopped. */
  stillRunning(): string[];
}

export function groupParts(parts: readonly Part[], log: Logger): PartGroup {
  const started: Part[] = [];
  const running = new Set<Part>();
  let stopping: Promise<void> | undefined;

  async function stopAll(): Promise<void> {
    for (const part of [...started].reverse()) {
      await part
        .stop()
        .catch((error: unknown) => log.error({ event: 'service.stop_failed', part: part.name, err: error }));
      running.delete(part);
    }
  }

  return {
    async start() {
      for (const part of parts) {
        if (stopping !== undefined) return;
        started.push(part);
        running.add(part);
        await part.start();
      }
    },
    stop: () => (stopping ??= stopAll()),
    stillRunning: () => [...running].map(({ name }) => name),
  };
}

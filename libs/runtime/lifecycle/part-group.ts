import type { Logger } from '../logger.ts';
import type { Part } from './part.ts';

/** Parts in the order of their dependencies, leaves first, so a part can use earlier ones while it runs. */
export interface PartGroup {
  /** Starts the parts in order; ends early if a stop has begun. @throws the error of the part that failed to start */
  start(): Promise<void>;
  /** Stops the started parts in reverse. A part that fails to stop is logged, and the others still stop. */
  stop(): Promise<void>;
  /** The names of parts that are started and not stopped. */
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

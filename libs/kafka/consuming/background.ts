/** Work that nobody waits for until the end. */
export interface Background {
  /** @param work ends with the stop, at the latest; it never throws */
  run(work: Promise<void>): void;
  /** Resolves when what runs now has ended. */
  ended(): Promise<void>;
}

export function createBackground(): Background {
  const running = new Set<Promise<void>>();
  return {
    run(work) {
      const tracked = work.finally(() => running.delete(tracked));
      running.add(tracked);
    },
    ended: () => Promise.all(running).then(() => undefined),
  };
}

/** Anything long-lived. Starting twice is the same promise; stopping twice, or without a start, is safe; stopped means stopped. */
export interface Part {
  name: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Whether it can do its work just now. A part without this always can, once it has started. */
  isReady?(): boolean;
}

/** Gives two plain functions the promises of a Part. `close` runs only after an `open` that has ended, and only once. */
export function createPart(name: string, open: () => Promise<void>, close: () => Promise<void>): Part {
  let opening: Promise<void> | undefined;
  let closing: Promise<void> | undefined;
  return {
    name,
    start: () => (opening ??= open()),
    stop: () =>
      (closing ??= (async () => {
        if (opening === undefined) return;
        const opened = opening;
        await opened.catch(() => undefined);
        await close();
      })()),
  };
}

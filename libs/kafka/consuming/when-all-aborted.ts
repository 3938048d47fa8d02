/** A signal that aborts once all of the given have. `forget` takes it off them, once nobody listens to it. */
export function whenAllAborted(signals: readonly AbortSignal[]): { signal: AbortSignal; forget(): void } {
  const different = [...new Set(signals)];
  const [first] = different;
  if (first !== undefined && different.length === 1) return { signal: first, forget: () => undefined };
  const all = new AbortController();
  const look = (): void => {
    if (different.every(({ aborted }) => aborted)) all.abort();
  };
  const places = different.map(listenersOf);
  for (const listeners of places) listeners.add(look);
  look();
  return {
    signal: all.signal,
    forget() {
      for (const listeners of places) listeners.delete(look);
    },
  };
}

/** Each signal has one listener of ours, for as long as it lives: to add and to remove one costs as much as a record, for each call of a handler. */
const known = new WeakMap<AbortSignal, Set<() => void>>();

function listenersOf(signal: AbortSignal): Set<() => void> {
  const before = known.get(signal);
  if (before !== undefined) return before;
  const listeners = new Set<() => void>();
  known.set(signal, listeners);
  signal.addEventListener('abort', () => {
    for (const look of listeners) look();
  });
  return listeners;
}

/** A signal that aborts once all of the given have. `forget` takes it off them, once nobody listens to it. */
export function whenAllAborted(signals: readonly AbortSignal[]): { signal: AbortSignal; forget(): void } {
  const different = [...new Set(signals)];
  const [first] = different;
  if (first !== undefined && different.length === 1) return { signal: first, forget: () => undefined };
  const all = new AbortController();
  const look = (): void => {
    if (different.every(({ aborted }) => aborted)) all.abort();
  };
  for (const signal of different) signal.addEventListener('abort', look);
  look();
  return {
    signal: all.signal,
    forget() {
      for (const signal of different) signal.removeEventListener('abort', look);
    },
  };
}

interface Asking<Key, Value> {
  key: Key;
  resolve(value: Value): void;
  reject(error: unknown): void;
}

/**
 * One call for all callers within a turn of the event loop, since it costs about as much as a call for one. Nobody waits for another turn.
 *
 * @param ask answers in order
 */
export function askTogether<Key, Value>(
  ask: (keys: readonly Key[]) => Promise<readonly Value[]>,
): (key: Key) => Promise<Value> {
  let asking: Asking<Key, Value>[] = [];

  async function askAll(): Promise<void> {
    const all = asking;
    asking = [];
    try {
      const values = await ask(all.map(({ key }) => key));
      all.forEach(({ resolve }, at) => resolve(values[at] as Value));
    } catch (error) {
      for (const { reject } of all) reject(error);
    }
  }

  return (key) =>
    new Promise((resolve, reject) => {
      if (asking.length === 0) setImmediate(() => void askAll());
      asking.push({ key, resolve, reject });
    });
}

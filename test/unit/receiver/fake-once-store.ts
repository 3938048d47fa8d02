import type { OnceOptions, OnceStore } from '../../../packages/receiver/src/index.ts';

export type Entries = Map<string, { token: string | null; expiresAtMs: number }>;

/** In memory; several that share their entries are as several processes. */
export function createFakeStore(options: OnceOptions = {}, entries: Entries = new Map()): OnceStore {
  const leaseMs = (options.leaseSeconds ?? 60) * 1_000;
  const rememberMs = (options.rememberSeconds ?? 600) * 1_000;
  const found = (id: string) => {
    const entry = entries.get(id);
    return entry !== undefined && entry.expiresAtMs > Date.now() ? entry : undefined;
  };
  return {
    leaseMs,
    async claim(id, token) {
      const entry = found(id);
      if (entry?.token === null) return { state: 'done' };
      if (entry !== undefined && entry.token !== token) {
        return { state: 'leased', remainingMs: Math.max(1, entry.expiresAtMs - Date.now()) };
      }
      entries.set(id, { token, expiresAtMs: Date.now() + leaseMs });
      return { state: 'claimed' };
    },
    async complete(id) {
      entries.set(id, { token: null, expiresAtMs: Date.now() + rememberMs });
    },
    async release(id, token) {
      if (entries.get(id)?.token === token) entries.delete(id);
    },
  };
}

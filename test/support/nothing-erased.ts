import type { ErasedEvents } from '#lib/erasure';

const erased: ErasedEvents = {
  has: () => false,
  hasTenant: () => false,
  among: async () => new Set(),
  recent: () => undefined,
};

/** For what asks whether an event was erased. */
export const nothingErased = { erased, onDropped: (): void => undefined };

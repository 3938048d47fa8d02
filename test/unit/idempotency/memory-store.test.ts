import { randomBytes } from 'node:crypto';
import type { IdempotencyStore } from '#lib/idempotency';
import { createManualClock } from '#lib/runtime';
import { createMemoryStore, type MemoryEffects } from '../../support/memory-store.ts';
import { describeIdempotency } from './cases.ts';

describeIdempotency('in memory', () => {
  const clock = createManualClock();
  const effects: string[] = [];
  let shared: IdempotencyStore<MemoryEffects> | undefined;
  return {
    createStore: (times) => (shared ??= createMemoryStore({ clock, random: randomBytes, ...times })),
    lockSeconds: 90,
    clock,
    pass: (ms) => clock.advance(ms),
    add: async (through: MemoryEffects, name) => through.apply(() => effects.push(name)),
    effects: async () => effects,
  };
});

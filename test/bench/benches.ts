import type { Bench } from './support/bench.ts';

/** The stages that a webhook passes, in order. Only the wanted ones are loaded. */
const stages: Readonly<Record<string, () => Promise<Bench>>> = {
  receiving: async () => (await import('./receiving/bench.ts')).receivingBench,
  dedup: async () => (await import('./dedup/bench.ts')).dedupBench,
  sending: async () => (await import('./sending/bench.ts')).sendingBench,
  projecting: async () => (await import('./projecting/bench.ts')).projectingBench,
  publishing: async () => (await import('./publishing/bench.ts')).publishingBench,
  longpoll: async () => (await import('./longpoll/bench.ts')).longpollBench,
  console: async () => (await import('./console/bench.ts')).consoleBench,
  whole: async () => (await import('./whole/bench.ts')).wholeBench,
};

/** The same costs with more of something. */
const growth: typeof stages = {
  endpoints: async () => (await import('./growth/endpoints.ts')).endpointsBench,
  sources: async () => (await import('./growth/sources.ts')).sourcesBench,
  partitions: async () => (await import('./growth/waiting-webhooks.ts')).partitionsBench,
  processes: async () => (await import('./growth/waiting-webhooks.ts')).processesBench,
  backlog: async () => (await import('./growth/waiting-webhooks.ts')).backlogBench,
  'known-keys': async () => (await import('./growth/waiting-webhooks.ts')).knownKeysBench,
  polling: async () => (await import('./growth/polling.ts')).pollingBench,
  lists: async () => (await import('./growth/lists.ts')).listsBench,
};

/** To be run beside a stage, and compared with it. */
const compared: typeof stages = {
  enforced: async () => (await import('./publishing/bench.ts')).enforcedBench,
};

export const benches = { ...stages, ...growth, ...compared };
export const stageNames = Object.keys(stages);
export const growthNames = Object.keys(growth);

import type { SystemResult } from '../../faults/system/result.ts';

const none = { p50: 0, p99: 0, max: 0 };
const never = Number.POSITIVE_INFINITY;

/** Four faults; nothing recovered from one of them. */
export const systemResult: SystemResult = {
  requests: 2_400,
  accepted: 2_000,
  published: 100,
  events: 1_700,
  duplicates: 400,
  lost: 0,
  secondEventIds: 0,
  secondEffects: 0,
  deliveries: 4,
  delivered: 4,
  deadLettered: 0,
  cancelled: 0,
  replayed: 0,
  deadLetters: {},
  republishedEvents: 0,
  rewrittenDeliveries: 0,
  repeatedDeliveries: 0,
  changes: 9,
  pollers: { held: { shown: 9, missed: 0, failed: 1 } },
  repeats: { killed: 0, slept: 0, 'cut-off': 0, unheard: 0, unrecorded: 0, behind: 0, unasked: 0 },
  latencyMs: { arrival: none, fanOut: none },
  timeline: {
    stretchSeconds: 10,
    taken: [6, 0, 6],
    arrived: [6, 0, 5],
    p50Seconds: [0.5, null, 2],
    maxSeconds: [3, null, never],
  },
  kinds: [
    {
      kind: 'dedup-killed',
      says: 'kill -9',
      track: 'dedup',
      times: 3,
      taken: 12,
      recoveriesMs: [400, 20_000, never],
      recoveryMs: { p50: 20_000, p99: never, max: never },
    },
    {
      kind: 'api-clock-steps',
      says: 'wrong',
      track: 'api',
      times: 1,
      taken: 0,
      recoveriesMs: [0],
      recoveryMs: none,
    },
  ],
  faults: 4,
  leftOut: {},
  restarts: 0,
  seconds: 80,
  drainSeconds: 5,
  violations: [],
  late: { run: { p99: 1, max: 2 }, links: { p99: 1, max: 2 } },
};

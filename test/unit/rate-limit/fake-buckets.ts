import type { BucketAnswer, BucketRequest, SharedBuckets } from '#lib/rate-limit';
import { AppError, type ManualClock } from '#lib/runtime';

export type Mutant = 'what processes hold is not counted' | 'what processes hold is counted for 100 ms';

interface Bucket {
  free: number;
  atMs: number;
  held: Map<string, { permits: number; atMs: number }>;
}

export interface FakeServer {
  buckets(processId: string): SharedBuckets;
  /** No answers for so many milliseconds; half of the calls take effect nevertheless. */
  away: boolean;
  /** Milliseconds to the server, and back. */
  delays(): [number, number];
  loseMemory(): void;
  /** Round trips that were begun. */
  asked: number;
}

/** The shared buckets, as the script in Redis keeps them, on a clock of the test's. */
export function createFakeServer(clock: ManualClock, mutant?: Mutant): FakeServer {
  const known = new Map<string, Bucket>();
  const countedForMs = mutant === 'what processes hold is counted for 100 ms' ? 100 : 2_000;

  function answer(processId: string, { key, rate, unused, debt, now, ahead }: BucketRequest): BucketAnswer {
    const nowMs = clock.monotonicMs();
    const bucket: Bucket = known.get(key) ?? { free: rate.burst, atMs: nowMs, held: new Map() };
    known.set(key, bucket);
    let held = 0;
    let processes = 1;
    for (const [id, theirs] of bucket.held) {
      const agoMs = nowMs - theirs.atMs;
      const counted = agoMs > countedForMs ? 0 : theirs.permits;
      held += id === processId ? Math.max(counted, unused) : counted;
      if (id === processId) continue;
      if (agoMs > 60_000) bucket.held.delete(id);
      else processes += 1;
    }
    if (!bucket.held.has(processId)) held += unused;
    if (mutant === 'what processes hold is not counted') held = 0;
    bucket.free = Math.min(
      Math.max(0, rate.burst - held),
      bucket.free + (rate.perSecond * (nowMs - bucket.atMs)) / 1000,
    );
    bucket.free = Math.max(-rate.burst, bucket.free - debt);
    const granted = Math.max(0, Math.min(now + ahead, Math.floor(bucket.free)));
    bucket.free -= granted;
    bucket.atMs = nowMs;
    bucket.held.set(processId, { permits: unused + Math.max(0, granted - now), atMs: nowMs });
    return { granted, free: bucket.free, processes };
  }

  const server: FakeServer = {
    away: false,
    asked: 0,
    delays: () => [0, 0],
    loseMemory: () => known.clear(),
    buckets: (processId) => ({
      async ask(request) {
        server.asked += 1;
        const [thereMs, backMs] = server.delays();
        if (thereMs > 0) await clock.sleep(thereMs);
        const reached = !server.away || server.asked % 2 === 0;
        const given = reached ? answer(processId, request) : undefined;
        if (backMs > 0) await clock.sleep(backMs);
        if (server.away || given === undefined) throw new AppError('redis_unavailable', 'as the test wants it');
        return given;
      },
    }),
  };
  return server;
}

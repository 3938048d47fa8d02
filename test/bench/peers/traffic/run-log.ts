import type { Moment, TrafficRecord } from './job.ts';

/** When each event of a run was due, acknowledged, and arrived first at each endpoint. */
export interface RunLog {
  start(): void;
  due(number: number, dueAtMs: number): void;
  /** @returns how many have been acknowledged by now */
  acknowledged(number: number): number;
  arrived(endpoint: number, number: number): void;
  failed(what: string, text: string): void;
  sentAgain(): void;
  stray(): void;
  /** The last answer to a published event is there. */
  published(count: number, lateMs: number): void;
  now(): Moment;
  end(): TrafficRecord;
}

const firstCapacity = 16_384;
const keptTextLength = 300;

/** @param hanging how many of the endpoints, the first of them, are expected to get nothing */
export function createRunLog(endpoints: number, hanging = 0): RunLog {
  let capacity = firstCapacity;
  let dueAt = new Float64Array(capacity);
  let acknowledgedAt = new Float64Array(capacity);
  let arrivedAt = Array.from({ length: endpoints }, () => new Float64Array(capacity));
  const failures: Record<string, number> = {};
  const moments: Moment[] = [];
  let [startMs, acknowledged, arrived, repeats, strays, sentAgain] = [0, 0, 0, 0, 0, 0];
  /** Arrivals of events that are acknowledged: others arrive too, and must not stand for these. */
  let settled = 0;
  let firstFailure = '';
  let atPublished: Moment = { second: 0, acknowledged: 0, arrived: 0, outstanding: 0 };
  let [publishedCount, worstLateMs, publishedMs] = [0, 0, 0];
  let watching: NodeJS.Timeout | undefined;

  // Never 0, which says that it was not.
  const sinceStart = (atMs = performance.now()): number => Math.max(0.001, atMs - startMs);
  const now = (): Moment => ({
    second: sinceStart() / 1_000,
    acknowledged,
    arrived,
    outstanding: acknowledged * (endpoints - hanging) - settled,
  });
  const grown = (values: Float64Array): Float64Array<ArrayBuffer> => {
    const larger = new Float64Array(capacity);
    larger.set(values);
    return larger;
  };
  const makeRoom = (number: number): void => {
    if (number < capacity) return;
    while (number >= capacity) capacity *= 2;
    dueAt = grown(dueAt);
    acknowledgedAt = grown(acknowledgedAt);
    arrivedAt = arrivedAt.map(grown);
  };

  return {
    start() {
      startMs = performance.now();
      watching = setInterval(() => moments.push(now()), 1_000);
    },
    due(number, dueAtMs) {
      makeRoom(number);
      dueAt[number] = sinceStart(dueAtMs);
    },
    acknowledged(number) {
      acknowledgedAt[number] = sinceStart();
      acknowledged += 1;
      for (const ofEndpoint of arrivedAt) if (ofEndpoint[number] !== 0) settled += 1;
      return acknowledged;
    },
    arrived(endpoint, number) {
      const ofEndpoint = arrivedAt[endpoint];
      if (ofEndpoint === undefined || number >= capacity) strays += 1;
      else if (ofEndpoint[number] !== 0) repeats += 1;
      else {
        ofEndpoint[number] = sinceStart();
        arrived += 1;
        if (acknowledgedAt[number] !== 0) settled += 1;
      }
    },
    failed(what, text) {
      failures[what] = (failures[what] ?? 0) + 1;
      if (firstFailure === '') firstFailure = `${what} ${text.slice(0, keptTextLength)}`;
    },
    sentAgain: () => void (sentAgain += 1),
    stray: () => void (strays += 1),
    published(count, lateMs) {
      [publishedCount, worstLateMs, publishedMs] = [count, lateMs, sinceStart()];
      atPublished = now();
    },
    now,
    end() {
      clearInterval(watching);
      const of = (values: Float64Array): Float64Array => values.slice(0, publishedCount);
      return {
        published: publishedCount,
        dueAt: of(dueAt),
        acknowledgedAt: of(acknowledgedAt),
        arrivedAt: arrivedAt.map(of),
        repeats,
        strays,
        sentAgain,
        failures,
        firstFailure,
        lateMs: worstLateMs,
        publishedMs,
        drainedMs: sinceStart(),
        atPublished,
        moments,
      };
    },
  };
}

import type { ProcessSample } from './sample.ts';

/** The most that the trend of a series may rise over the judged part of a run; a fall is no leak. */
export interface Limit {
  unit: string;
  /** A share of the level, which is the median of the judged part. */
  share: number;
  /** The minimum of the limit. */
  atLeast: number;
  why: string;
}

/**
 * 5 % over the 45 judged minutes of an hour is 1.6 times the level in a day more: a process of 150 MiB would have 390 after a day, and the
 * smallest container that it is given (deploy/k8s) has 512. V8 itself moves by up to 8 MiB while it decides how large its generations are
 * to be.
 */
const memory: Limit = {
  unit: 'MiB',
  share: 0.05,
  atLeast: 8,
  why: 'at that slope the smallest container still has room after a day',
};

/** They are counted, and retries and slow endpoints open and close some all the time: fewer than five are no trend. */
const counted: Limit = {
  unit: '',
  share: 0.05,
  atLeast: 5,
  why: 'one left behind in ten minutes is seen in an hour',
};

export type JudgedOfProcess = Extract<
  keyof ProcessSample,
  'residentMib' | 'heapMib' | 'handles' | 'connections' | 'threads'
>;

interface ProcessLimit {
  name: string;
  limit: Limit;
  /** It rises until there is a collection: its floor is judged. */
  isSaw: boolean;
}

export const processLimits: Readonly<Record<JudgedOfProcess, ProcessLimit>> = {
  residentMib: { name: 'memory', limit: memory, isSaw: true },
  heapMib: { name: 'heap', limit: memory, isSaw: true },
  handles: { name: 'handles', limit: counted, isSaw: false },
  connections: { name: 'connections', limit: counted, isSaw: false },
  threads: { name: 'threads', limit: counted, isSaw: false },
};

/** For our connections to the servers. */
export const connectionLimit = counted;

/** @param perSecond records that the group gets each second */
export const lagLimit = (perSecond: number): Limit => ({
  unit: 'records',
  share: 0,
  atLeast: lagSeconds * perSecond,
  why: `${lagSeconds} s of what comes: a group that does 0.1 % less than that is seen in an hour`,
});

/** Sooner committed than that, or later, is the rhythm of the commits. */
const lagSeconds = 2;

/** @param perSecond deliveries that come each second */
export const waitingLimit = (perSecond: number): Limit => ({
  unit: 'rows',
  share: 0.1,
  atLeast: waitingSeconds * perSecond,
  why: `${waitingSeconds} s of deliveries: an endpoint that is down keeps its own for a while`,
});

const waitingSeconds = 5;

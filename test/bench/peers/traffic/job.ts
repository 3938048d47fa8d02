/** The messages to and from the traffic process: one channel, one run at a time. */

/** The request that sends an event to a system. `{id}` in a text stands for the event's id. */
export interface Target {
  host: string;
  port: number;
  path: string;
  headers: Readonly<Record<string, string>>;
  /** The body around the payload. */
  before: string;
  after: string;
  /** The body's HMAC-SHA256 in this header, as GitHub signs. */
  signature?: { header: string; secret: string };
}

export type Pace =
  /** As many requests under way as there are connections: the next as soon as one is answered. */
  | { kind: 'closed'; seconds: number }
  /** Each event is due at its time, whatever happened to earlier ones. */
  | { kind: 'open'; perSecond: number; count: number };

export interface TrafficJob {
  /** In the id of each of its events, `<run>-<number>`: lower-case letters and digits. */
  run: string;
  target: Target;
  pace: Pace;
  connections: number;
  /** How many of the receiver's endpoints get each event. */
  endpoints: number;
  /** The first endpoint answers only after so long. */
  hangsForMs: number | undefined;
  /** Events without an acknowledgment are sent again, under the same id. */
  sendsAgain: boolean;
  /** `reached` is called after so many acknowledgments. */
  tellAfter: number | undefined;
}

/** By seconds since the start of the run. */
export interface Moment {
  second: number;
  acknowledged: number;
  /** First arrivals at endpoints that do not hang. */
  arrived: number;
  /** Arrivals that are still to come: of what is acknowledged, at endpoints that do not hang. */
  outstanding: number;
}

/** All instants in ms since the start of the run; 0: never. */
export interface TrafficRecord {
  published: number;
  dueAt: Float64Array;
  acknowledgedAt: Float64Array;
  /** First arrivals by endpoint; hanging endpoints have none. */
  arrivedAt: Float64Array[];
  /** Arrivals beyond the first of an event at an endpoint. */
  repeats: number;
  /** Requests that do not belong to this run: late arrivals of earlier runs, mostly. */
  strays: number;
  sentAgain: number;
  /** Refusals and requests without an answer, by what they were. */
  failures: Record<string, number>;
  firstFailure: string;
  /** How late an event was sent at worst, for which a connection was free. */
  lateMs: number;
  publishedMs: number;
  drainedMs: number;
  /** Acknowledged, and arrived, when the last request had ended. */
  atPublished: Moment;
  moments: Moment[];
}

export type ToTraffic =
  | { kind: 'prepare'; job: TrafficJob }
  | { kind: 'publish' }
  /** Waits for what is outstanding: at most so long, and no longer than so long without an arrival. */
  | ({ kind: 'drain' } & WaitLimits)
  /** The same for what earlier runs have left outstanding. */
  | ({ kind: 'settle' } & WaitLimits);

export interface WaitLimits {
  atMostMs: number;
  idleMs: number;
}

export type FromTraffic =
  | { kind: 'ready'; ports: number[] }
  | { kind: 'prepared' }
  | { kind: 'reached' }
  | { kind: 'published' }
  | { kind: 'drained'; record: TrafficRecord }
  | { kind: 'settled'; outstanding: Outstanding };

/** By run: how many arrivals are still to come of what was acknowledged. Runs that have none are not there. */
export type Outstanding = Readonly<Record<string, number>>;

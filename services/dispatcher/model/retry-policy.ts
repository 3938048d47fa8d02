/** How often, when and for how long an endpoint's deliveries are sent again; send/decide.ts has the table. */
export type RetryPolicy = BackoffPolicy | SchedulePolicy;

interface Bounds {
  /** The longest wait that a receiver may ask for. */
  capMs: number;
  /** From the delivery's creation. */
  windowMs: number;
}

export interface BackoffPolicy extends Bounds {
  kind: 'backoff';
  baseMs: number;
  /** Infinity: as many as the window has room for. */
  maxAttempts: number;
}

export interface SchedulePolicy extends Bounds {
  kind: 'schedule';
  waitsMs: readonly number[];
  jitter: number;
}

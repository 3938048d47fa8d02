export interface Rate {
  perSecond: number;
  /** The most that may be taken at once after a pause. */
  burst: number;
}

/** One process's request to the shared bucket. */
export interface BucketRequest {
  key: string;
  rate: Rate;
  /** Permits granted and not used: the bucket counts them as taken, and as part of what the process may hold. */
  unused: number;
  /** Permits given out without the bucket while it was away. */
  debt: number;
  /** Permits for waiting callers, used as soon as they are granted. */
  now: number;
  /** Permits to hold for later use. */
  ahead: number;
}

export interface BucketAnswer {
  granted: number;
  /** Permits left after this; a fraction, and below zero if processes gave out more on their own than there were. */
  free: number;
  /** Processes that asked for this key within the last minute, this one included. */
  processes: number;
}

/** The buckets that all processes share. */
export interface SharedBuckets {
  /** @throws AppError redis_unavailable: the permits may have been granted nevertheless, and are lost then */
  ask(request: BucketRequest): Promise<BucketAnswer>;
}

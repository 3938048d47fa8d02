export interface Rate {
  perSecond: number;
  /** The most that may be taken at once after a pause. */
  burst: number;
}

/** One process's request to the shared bucket. */
export interface BucketRequest {
  key: string;
  rate: Rate;
  /** Permits that it was granted and has not used: the bucket counts them as taken, and as part of what it may hold. */
  unused: number;
  /** Permits that it gave out by itself while the bucket was away. */
  debt: number;
  /** Permits for waiting callers, used as soon as they are granted. */
  now: number;
  /** To be held, and used later. */
  ahead: number;
}

export interface BucketAnswer {
  granted: number;
  /** Permits left after this; a fraction, and below zero if processes gave out more on their own than there were. */
  free: number;
  /** How many processes have asked for this key within the last minute, this one included. */
  processes: number;
}

/** The buckets that all processes share. */
export interface SharedBuckets {
  /** @throws AppError redis_unavailable: the permits may have been granted all the same, and are lost then */
  ask(request: BucketRequest): Promise<BucketAnswer>;
}

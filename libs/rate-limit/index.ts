export { createLocalShare, type LocalShare } from './local-share.ts';
export { type Permit, type RateLimiter, type RatesLeft, createRateLimiter } from './rate-limiter.ts';
export type { BucketAnswer, BucketRequest, Rate, SharedBuckets } from './ports.ts';
export { rateLimitFields, waitSeconds } from './rate-limit-fields.ts';
export { createRedisBuckets } from './redis-buckets.ts';

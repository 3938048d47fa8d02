export { redisMetrics } from './metrics.ts';
export { type ExpiringEntry, type ExpiringValue, type Redis, type RedisOptions, createRedis } from './redis.ts';

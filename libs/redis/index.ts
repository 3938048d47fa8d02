export { redisAccess } from './access.ts';
export { redisMetrics } from './metrics.ts';
export { type Redis, type RedisOptions, createRedis } from './redis.ts';

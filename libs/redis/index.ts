export { type ExpiringEntry, type Redis, type RedisOptions, createRedis } from './redis.ts';

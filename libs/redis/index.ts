export { type ExpiringEntry, type ExpiringValue, type Redis, type RedisOptions, createRedis } from './redis.ts';

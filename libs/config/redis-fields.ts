import { type ConfigOf, list, type Problem, text } from './fields.ts';

export const redisFields = {
  redisUrl: text('HOOKLINE_REDIS_URL', {
    default: 'redis://127.0.0.1:6379',
    pattern: /^rediss?:\/\//,
    help: 'Redis 7.0 or Valkey 8.0, or later, with maxmemory-policy noeviction; `rediss://` for TLS. With sentinels its host is not used',
  }),
  redisCaFile: text('HOOKLINE_REDIS_CA_FILE', {
    default: '',
    help: 'PEM file of the CAs of Redis’ certificate; empty: the public CAs. A renewed file needs no restart',
  }),
  redisSentinels: list('HOOKLINE_REDIS_SENTINELS', {
    default: '',
    allowEmpty: true,
    itemPattern: /^[^\s:@/]+:\d{1,5}$/,
    help: 'sentinels that know where the master is, as comma-separated host:port; they use TLS if the URL does',
  }),
  redisSentinelMaster: text('HOOKLINE_REDIS_SENTINEL_MASTER', {
    default: '',
    help: 'name that the sentinels have for the master',
  }),
  redisSentinelPassword: text('HOOKLINE_REDIS_SENTINEL_PASSWORD', {
    default: '',
    secret: true,
    help: 'password of the sentinels themselves; that of Redis is in the URL',
  }),
};

export function redisRelations(config: ConfigOf<typeof redisFields>): Problem[] {
  const problems: Problem[] = [];
  if (config.redisCaFile !== '' && !config.redisUrl.startsWith('rediss://'))
    problems.push('HOOKLINE_REDIS_CA_FILE needs rediss:// in HOOKLINE_REDIS_URL');
  if ((config.redisSentinels.length === 0) !== (config.redisSentinelMaster === ''))
    problems.push('HOOKLINE_REDIS_SENTINELS and HOOKLINE_REDIS_SENTINEL_MASTER must be set together');
  if (config.redisSentinels.length === 0 && config.redisSentinelPassword !== '')
    problems.push('HOOKLINE_REDIS_SENTINEL_PASSWORD needs HOOKLINE_REDIS_SENTINELS');
  return problems;
}

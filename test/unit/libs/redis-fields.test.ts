import { type ConfigOf, readConfig, redisFields, redisRelations } from '#lib/config';
import { redisAccess } from '#lib/redis';

const none = readConfig(redisFields, {});

test('by default there is one server, spoken to as it is', () => {
  expect(redisRelations(none)).toEqual([]);
  expect(redisAccess(none)).toEqual({ url: 'redis://127.0.0.1:6379', tls: undefined, sentinels: undefined });
});

test('sentinels have addresses, a name for the master, and a password of their own', () => {
  const env = {
    HOOKLINE_REDIS_URL: 'rediss://:secret@ignored/2',
    HOOKLINE_REDIS_SENTINELS: 's-1.example:26379, 10.0.0.2:26380',
    HOOKLINE_REDIS_SENTINEL_MASTER: 'main',
    HOOKLINE_REDIS_SENTINEL_PASSWORD: 'other',
  };
  const config = readConfig(redisFields, env, [redisRelations]);
  expect(redisAccess(config)).toMatchObject({
    url: 'rediss://:secret@ignored/2',
    sentinels: {
      addresses: [
        { host: 's-1.example', port: 26_379 },
        { host: '10.0.0.2', port: 26_380 },
      ],
      master: 'main',
      password: 'other',
    },
  });
  expect(redisAccess(config).tls?.options()).toEqual({ minVersion: 'TLSv1.2' });
});

test.each<[given: Partial<ConfigOf<typeof redisFields>>, says: RegExp]>([
  [{ redisCaFile: 'ca.pem' }, /needs rediss:\/\//],
  [{ redisSentinels: ['a:1'] }, /must be set together$/],
  [{ redisSentinelMaster: 'main' }, /must be set together$/],
  [{ redisSentinelPassword: 'a' }, /needs HOOKLINE_REDIS_SENTINELS$/],
])('%j is refused', (given, says) => {
  expect(redisRelations({ ...none, ...given }).join('\n')).toMatch(says);
});

test('an address of a sentinel without its port is refused', () => {
  expect(() => readConfig(redisFields, { HOOKLINE_REDIS_SENTINELS: 'one,two:26379' })).toThrow(
    /must be a list of items/,
  );
});

test('a file of CAs that can’t be used is named at the start', () => {
  const config = { ...none, redisUrl: 'rediss://db', redisCaFile: '/nowhere/ca.pem' };
  expect(() => redisAccess(config)).toThrow(/\/nowhere\/ca\.pem can’t be read/);
});

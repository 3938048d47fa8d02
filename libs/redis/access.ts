/** A process's access to Redis: address, TLS, sentinels. */
import type { ConfigOf, redisFields } from '#lib/config';
import { type ClientTls, createClientTls } from '#lib/net';

export interface RedisAccess {
  /** User, password and database; the address too, unless sentinels know it. */
  url: string;
  /** For `rediss://`; default: the public CAs. */
  tls?: ClientTls | undefined;
  sentinels?: Sentinels | undefined;
}

interface Sentinels {
  addresses: readonly { host: string; port: number }[];
  /** Their name for the master. */
  master: string;
  password: string;
}

/**
 * Settings as checked by `redisRelations`.
 *
 * @throws AppError config_invalid if the file of CAs can't be used
 */
export function redisAccess(settings: ConfigOf<typeof redisFields>): RedisAccess {
  const { redisUrl: url, redisCaFile: caFile, redisSentinels } = settings;
  const addresses = redisSentinels.map((address) => {
    const [host = '', port] = address.split(':');
    return { host, port: Number(port) };
  });
  return {
    url,
    tls: url.startsWith('rediss://') ? createClientTls({ caFile }) : undefined,
    sentinels:
      addresses.length === 0
        ? undefined
        : { addresses, master: settings.redisSentinelMaster, password: settings.redisSentinelPassword },
  };
}

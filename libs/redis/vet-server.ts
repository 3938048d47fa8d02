import type { Redis as Client } from 'ioredis';

/** The oldest that is tried here. */
const oldestMajor = 7;

export type Vetting = { ok: true; unchecked?: string } | { ok: false; problem: string };

/**
 * Whether the server may be used. An eviction policy other than `noeviction` silently drops live keys when memory runs out, possibly those
 * of other users. With `noeviction` a write fails instead, which callers notice and can handle.
 */
export async function vetServer(client: Pick<Client, 'info' | 'config'>): Promise<Vetting> {
  const version = /^redis_version:(\S+)/m.exec(await client.info('server'))?.[1] ?? 'unknown';
  if (!(Number.parseInt(version, 10) >= oldestMajor))
    return { ok: false, problem: `Redis ${version} is too old: ${oldestMajor}.0 or later is needed` };

  let policy: string | undefined;
  try {
    [, policy] = await client.config('GET', 'maxmemory-policy');
  } catch (error) {
    // Managed servers forbid CONFIG; a connection that broke says nothing about the policy.
    const message = (error as Error).message;
    if (!/NOPERM|unknown command|unknown subcommand/i.test(message)) throw error;
    return { ok: true, unchecked: `maxmemory-policy could not be read (${message}); it must be noeviction` };
  }
  return policy === 'noeviction'
    ? { ok: true }
    : { ok: false, problem: `Redis has maxmemory-policy ${policy ?? 'unknown'}: it must be noeviction` };
}

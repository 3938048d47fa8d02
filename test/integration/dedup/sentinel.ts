import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '#deploy/local/stack/free-ports.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type OwnRedis, startOwnRedis } from './redis-server.ts';

interface SentinelWorld {
  /** As in HOOKLINE_REDIS_SENTINELS. */
  sentinels: readonly string[];
  /** The one of the start. */
  master: OwnRedis;
  /** The address of the master that the sentinels agree on. */
  masterPort(): Promise<number>;
  killMaster(): Promise<void>;
  /** The sentinels take connections and answer nothing. */
  hang(): Promise<void>;
  resume(): void;
  stop(): Promise<void>;
}

export const masterName = 'main';

/** A master, a replica and three sentinels. A failover begins a second after the master went. */
export async function startSentinels(): Promise<SentinelWorld> {
  const dir = mkdtempSync(join(tmpdir(), 'hookline-sentinel-'));
  const master = await startOwnRedis();
  const replica = await startOwnRedis({ replicaof: `127.0.0.1 ${master.port}`, 'repl-diskless-sync-delay': '0' });
  await waitUntil('the replica follows', async () =>
    /master_link_status:up/.test(await replica.command('INFO', 'replication')),
  );
  const servers = new Map([master, replica].map((server) => [server.port, server]));
  const ports = await freePorts(3);
  const sentinels: OwnRedis[] = [];
  for (const port of ports) {
    const file = join(dir, `${port}.conf`);
    writeFileSync(
      file,
      [
        `port ${port}`,
        'bind 127.0.0.1',
        `dir ${dir}`,
        `sentinel monitor ${masterName} 127.0.0.1 ${master.port} 2`,
        `sentinel down-after-milliseconds ${masterName} 1000`,
        `sentinel failover-timeout ${masterName} 10000`,
        '',
      ].join('\n'),
    );
    sentinels.push(await startOwnRedis({}, port, [file, '--sentinel']));
  }
  const [one] = sentinels;
  if (one === undefined) throw new Error('there is no sentinel');
  const field = async (name: string): Promise<string | undefined> =>
    new RegExp(`\\$\\d+\\r\\n${name}\\r\\n\\$\\d+\\r\\n([^\\r]*)`).exec(
      await one.command('SENTINEL', 'MASTER', masterName),
    )?.[1];
  await waitUntil(
    'the sentinels know each other and the replica',
    async () => (await field('num-other-sentinels')) === '2' && (await field('num-slaves')) === '1',
  );
  const masterPort = async (): Promise<number> => Number(await field('port'));

  return {
    sentinels: ports.map((port) => `127.0.0.1:${port}`),
    master,
    masterPort,
    async killMaster() {
      const port = await masterPort();
      await servers.get(port)?.stop();
      servers.delete(port);
    },
    hang: async () => void (await Promise.all(sentinels.map((sentinel) => sentinel.hang()))),
    resume: () => sentinels.forEach((sentinel) => sentinel.resume()),
    async stop() {
      for (const server of [...sentinels, ...servers.values()]) await server.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

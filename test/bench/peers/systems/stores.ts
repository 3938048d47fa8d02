import { randomBytes } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path';
import { provideTools } from '#deploy/local/install/install.ts';
import { createPostgres, type Postgres } from '#deploy/local/servers/postgres.ts';
import type { Processes } from '#deploy/local/processes/processes.ts';
import { createRedis, type Redis } from '#deploy/local/servers/redis.ts';
import { postgresUser } from '#deploy/local/servers/run-as.ts';
import { postgresServer, redisServer } from '#deploy/local/install/tools.ts';

export interface Stores {
  postgres: Postgres;
  redis: Redis;
}

interface Options {
  dir: string;
  processes: Processes;
  ports: { postgres: number; redis: number };
  say(line: string): void;
}

/** Starts Postgres and Redis for a peer, with the code and settings of `make up`. Installs missing packages. */
export async function startStores({ dir, processes, ports, say }: Options): Promise<Stores> {
  const programs = await provideTools({ postgresServer, redisServer }, say);
  const postgres = createPostgres({
    dir,
    processes,
    say,
    port: ports.postgres,
    bin: dirname(programs.postgresServer),
    password: randomBytes(16).toString('hex'),
    runAs: postgresUser(),
    durable: true,
  });
  const redis = createRedis({ dir, processes, port: ports.redis, program: programs.redisServer });
  await Promise.all([postgres.start(), redis.start()]);
  return { postgres, redis };
}

/** The same for all systems. */
export const storeSettings =
  'Postgres with fsync and full_page_writes on and 200 connections, Redis with an append-only file that is synced each second';

export async function storeVersions(say: (line: string) => void): Promise<string[]> {
  const programs = await provideTools({ postgresServer, redisServer }, say);
  return [
    `Postgres ${versionIn(programs.postgresServer, ['--version'])}`,
    `Redis ${versionIn(programs.redisServer, ['--version'])}`,
  ];
}

/** The first number with a point in what a program says. */
export function versionIn(program: string, args: readonly string[]): string {
  const said = execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  return /\d+\.\d+(?:\.\d+)*/.exec(said)?.[0] ?? said.trim();
}

/** The servers that a run may take away: each by itself, in each way in which it can be away. */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Broker } from '#deploy/local/servers/kafka.ts';
import type { ServerAddresses } from '#deploy/local/servers/server-addresses.ts';
import { postgresHome } from '#deploy/local/servers/postgres-home.ts';
import { createServers } from '#deploy/local/servers/servers.ts';
import { serverPlanIn } from '#deploy/local/servers/server-plan.ts';
import { root } from '#deploy/local/paths.ts';
import { type OwnRedis, startOwnRedis } from '../../integration/dedup/redis-server.ts';
import { createLimit } from '../../support/limit.ts';
import { holdServers, newServersDir } from '../../support/start-servers.ts';
import { releaseServers } from '../../support/stop-servers.ts';

export interface FaultyServer {
  /** Connections are refused from now on. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** It keeps its connections and takes new ones, and answers nothing. */
  hang(): void;
  resume(): void;
}

export interface FaultyRedis extends FaultyServer {
  url: string;
  /** FLUSHALL. */
  forget(): Promise<void>;
}

/** It may end without a goodbye, too. */
export interface MortalServer extends FaultyServer {
  kill(): Promise<void>;
}

export interface FaultyServers {
  redis: FaultyRedis;
  /** Absent where others use it too. */
  postgres?: MortalServer;
  kafka?: MortalServer;
}

/** It can be put back to an earlier instant. */
interface RestorableServer extends MortalServer {
  /** Copies its data, for which it is stopped. */
  keepCopy(): Promise<void>;
  /** Puts the copy in the place of its data: what came since is lost. */
  restoreCopy(): Promise<void>;
}

export interface OwnServers extends Required<FaultyServers> {
  postgres: RestorableServer;
  addresses: ServerAddresses;
  /** By their ids, from 1; `kafka` is the first. */
  brokers: readonly MortalServer[];
  /** Their pids, by name; a server that does not run is absent. */
  processIds(): Record<string, number>;
  close(): Promise<void>;
}

/**
 * A set of the run's own, held by a process that ends and removes it however the run ends.
 *
 * @param brokers one by default
 * @param prepare is given the folder that all of them are to be in, before they are made
 */
export async function startFaultyServers(
  brokers?: readonly Broker[],
  prepare: (dir: string) => void = () => undefined,
): Promise<OwnServers> {
  const dir = newServersDir(root);
  const plan = await serverPlanIn(dir, brokers);
  prepare(dir);
  const held = holdServers(root, dir);
  await held.file;
  const say = (line: string): void => console.error(line);
  // The same servers, known by their folder: what the holder has started is stopped and started again from here.
  const { addresses, kafka, postgres, processes } = await createServers({
    dir,
    ...plan,
    durable: false,
    say,
  });
  const data = (): string => join(postgresHome(dir), 'data');
  const copy = (): string => `${data()}.copy`;
  const signalPostgres = (signal: NodeJS.Signals): void => {
    const postmaster = processes.pid('postgres');
    if (postmaster === undefined) throw new Error('Postgres does not run');
    // First the one that makes others; each connection has a process of its own.
    process.kill(postmaster, signal);
    for (const pid of childrenOf(postmaster)) signalIfThere(pid, signal);
  };
  const faultyBroker = (id: number): MortalServer => ({
    stop: () => kafka.stopBroker(id),
    start: () => kafka.startBroker(id),
    kill: () => kafka.kill(id),
    hang: () => void kafka.kill(id, 'SIGSTOP'),
    resume: () => void kafka.kill(id, 'SIGCONT'),
  });
  const firstBroker = faultyBroker(1);
  const redis = await startFaultyRedis();
  return {
    addresses: { ...addresses, redisUrl: redis.url },
    redis,
    postgres: {
      stop: () => postgres.stop(),
      start: () => postgres.start(),
      kill: () => postgres.kill(),
      keepCopy: () => whileStopped(postgres, () => copyFolder(data(), copy())),
      restoreCopy: () => whileStopped(postgres, () => copyFolder(copy(), data())),
      hang: () => signalPostgres('SIGSTOP'),
      resume: () => signalPostgres('SIGCONT'),
    },
    kafka: firstBroker,
    brokers: [firstBroker, ...(brokers ?? []).slice(1).map(({ id }) => faultyBroker(id))],
    processIds: () =>
      Object.fromEntries(
        (['kafka', 'postgres'] as const).flatMap((name) => {
          const pid = processes.pid(name);
          return pid === undefined ? [] : [[name, pid]];
        }),
      ),
    async close() {
      await redis.stop();
      await releaseServers(held);
    },
  };
}

/** It keeps nothing on disk: started again, it is empty. */
export async function startFaultyRedis(): Promise<FaultyRedis> {
  let server: OwnRedis | undefined = await startOwnRedis();
  const { url, port } = server;
  // It may be told to forget while it is being killed.
  const inTurn = createLimit(1);
  return {
    url,
    stop: () =>
      inTurn(async () => {
        await server?.stop();
        server = undefined;
      }),
    start: () => inTurn(async () => void (server ??= await startOwnRedis({}, port))),
    // It may be dying.
    hang: () => void server?.hang().catch(() => undefined),
    resume: () => server?.resume(),
    forget: () =>
      inTurn(async () => {
        const answer = await server?.command('FLUSHALL');
        if (answer !== undefined && !answer.startsWith('+OK')) throw new Error(`Redis answered ${answer}`);
      }),
  };
}

async function whileStopped(server: Pick<FaultyServer, 'stop' | 'start'>, work: () => void): Promise<void> {
  await server.stop();
  work();
  await server.start();
}

/** With owners and rights: Postgres starts with no others. */
function copyFolder(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  execFileSync('cp', ['--archive', from, to]);
}

/** A connection's process may end between being listed and being told. */
function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function childrenOf(pid: number): number[] {
  return execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([child, parent]) => (child !== undefined && parent === pid ? [child] : []));
}

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePorts } from '#deploy/local/stack/free-ports.ts';
import { createProcesses } from '#deploy/local/processes/processes.ts';
import { startReady } from '#deploy/local/processes/ready.ts';
import { svixVariable } from '../config.ts';
import { createJsonApi } from './json-api.ts';
import { startStores, storeSettings, storeVersions, versionIn } from './stores.ts';
import { absenceMs, countedProcesses, type Endpoints, hookUrl, type Software } from './system.ts';

const run = promisify(execFile);
const eventType = 'bench.event';
const applicationOf = (endpoints: Endpoints): string => `bench${endpoints}`;
const startTimeoutMs = 60_000;

export function createSvix(given: string | undefined): Software {
  const program = given === undefined ? '' : resolve(given);
  return {
    name: 'svix',
    systems: ['svix'],
    trouble() {
      if (given === undefined)
        return `Svix was not measured: no package registry has its server; name the program svix-server in ${svixVariable}`;
      return existsSync(program) ? undefined : `Svix was not measured: there is no ${program} (${svixVariable})`;
    },
    async facts() {
      return {
        versions: [`Svix ${versionIn(program, ['--version'])}`, ...(await storeVersions(() => undefined))],
        promises: {
          svix:
            'the message and its payload are rows of one committed transaction of Postgres, synced; then one task is on a stream of Redis, synced ' +
            'each second. Who dies between the two leaves a message that nobody sends, and whose repetition is refused (409)',
        },
        settings: `server and worker in one process, its queue in Redis, its cache in memory, 500 tasks at once (its default); ${storeSettings}`,
      };
    },
    async start({ dir, receiverPorts, say }) {
      const processes = createProcesses({ run: join(dir, 'run'), log: join(dir, 'log') });
      const [api = 0, postgresPort = 0, redisPort = 0] = await freePorts(3);
      const ports = { postgres: postgresPort, redis: redisPort };
      const { postgres, redis } = await startStores({ dir, processes, say, ports });
      const home = join(dir, 'svix');
      mkdirSync(home, { recursive: true });
      const env = {
        SVIX_LISTEN_ADDRESS: `127.0.0.1:${api}`,
        SVIX_DB_DSN: postgres.url.replace(/^postgres:/, 'postgresql:'),
        SVIX_REDIS_DSN: redis.url,
        SVIX_QUEUE_TYPE: 'redis',
        SVIX_CACHE_TYPE: 'memory',
        SVIX_JWT_SECRET: randomBytes(16).toString('hex'),
        SVIX_MAIN_SECRET: randomBytes(16).toString('hex'),
        SVIX_WHITELIST_SUBNETS: '[127.0.0.0/8]',
        SVIX_LOG_LEVEL: 'info',
      };
      const tell = (...args: string[]) => run(program, args, { cwd: home, env: { ...process.env, ...env } });
      await tell('migrate');
      const token = /^Token \(Bearer\): *(\S+)$/m.exec((await tell('jwt', 'generate')).stdout)?.[1] ?? '';
      const url = `http://127.0.0.1:${api}/api/v1`;
      const isReady = async (): Promise<true | undefined> =>
        (await fetch(`${url}/health/`, { signal: AbortSignal.timeout(2_000) })).ok || undefined;
      const server = { name: 'server', command: program, args: [], env, cwd: home };
      const serve = (): Promise<void> => startReady(processes, server, isReady, startTimeoutMs);
      await serve();
      const call = createJsonApi(url, token);
      await call('POST', '/event-type/', { name: eventType, description: 'of the comparison' });
      for (const endpoints of [1, 10] as const) {
        const uid = applicationOf(endpoints);
        await call('POST', '/app/', { name: uid, uid });
        for (const port of receiverPorts.slice(0, endpoints))
          await call('POST', `/app/${uid}/endpoint/`, { url: hookUrl(port), version: 1 });
      }
      return {
        processes: () => countedProcesses(processes, ['server', 'postgres', 'redis']),
        target: (_, endpoints) => ({
          host: '127.0.0.1',
          port: api,
          path: `/api/v1/app/${applicationOf(endpoints)}/msg/`,
          headers: { authorization: `Bearer ${token}` },
          before: `{"eventType":"${eventType}","eventId":"{id}","payload":`,
          after: '}',
        }),
        async killAndRestart() {
          await processes.stop('server', { signal: 'SIGKILL' });
          await delay(absenceMs);
          await serve();
        },
      };
    },
  };
}

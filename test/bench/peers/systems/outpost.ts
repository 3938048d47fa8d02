import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePorts } from '#deploy/local/stack/free-ports.ts';
import { createProcesses } from '#deploy/local/processes/processes.ts';
import { startReady } from '#deploy/local/processes/ready.ts';
import { outpostVariable } from '../config.ts';
import { createJsonApi } from './json-api.ts';
import { rabbitmqVersion, startRabbitmq } from './rabbitmq.ts';
import { startStores, storeSettings, storeVersions, versionIn } from './stores.ts';
import { absenceMs, countedProcesses, type Endpoints, hookUrl, type Software } from './system.ts';

const run = promisify(execFile);
const topic = 'bench.event';
const tenantOf = (endpoints: Endpoints): string => `t${endpoints}`;
/** Concurrency of publishing, of delivering and of logging; 1 by default, with which it would do next to nothing. */
const concurrency = 100;
const startTimeoutMs = 60_000;

export function createOutpost(folder: string | undefined): Software {
  const program = (name: string): string => join(folder ?? '', name);
  return {
    name: 'outpost',
    systems: ['outpost'],
    trouble() {
      if (folder === undefined)
        return `Outpost was not measured: name the folder of its programs outpost and outpost-server in ${outpostVariable}`;
      const missing = ['outpost', 'outpost-server'].filter((name) => !existsSync(program(name)));
      return missing.length === 0
        ? undefined
        : `Outpost was not measured: there is no ${missing.join(' and no ')} in ${folder} (${outpostVariable})`;
    },
    async facts() {
      const say = (): void => undefined;
      return {
        versions: [
          `Outpost ${versionIn(program('outpost'), ['--version'])}`,
          await rabbitmqVersion(say),
          ...(await storeVersions(say)),
        ],
        promises: {
          outpost:
            'the event id is claimed in Redis (synced each second), then one task for each destination, with the payload, is on a durable quorum ' +
            'queue of RabbitMQ, which has confirmed it, synced; Postgres has nothing yet: events and attempts are logged there in batches after the ' +
            'first attempt. The same id within an hour is a duplicate',
        },
        settings: `all of it in one process, ${concurrency} at once for publishing, delivering and logging each; ${storeSettings}; RabbitMQ with its defaults`,
      };
    },
    async start({ dir, receiverPorts, say }) {
      const processes = createProcesses({ run: join(dir, 'run'), log: join(dir, 'log') });
      const [api = 0, postgresPort = 0, redisPort = 0, amqp = 0, distribution = 0, mapper = 0] = await freePorts(6);
      const [{ postgres }, rabbitmqUrl] = await Promise.all([
        startStores({ dir, processes, say, ports: { postgres: postgresPort, redis: redisPort } }),
        startRabbitmq({ dir, processes, say, ports: { amqp, distribution, mapper } }),
      ]);
      const apiKey = randomBytes(16).toString('hex');
      const home = join(dir, 'outpost');
      mkdirSync(home, { recursive: true });
      const env = {
        API_PORT: String(api),
        API_KEY: apiKey,
        API_JWT_SECRET: apiKey,
        AES_ENCRYPTION_SECRET: apiKey,
        TOPICS: topic,
        LOG_LEVEL: 'warn',
        GIN_MODE: 'release',
        DISABLE_TELEMETRY: 'true',
        REDIS_HOST: '127.0.0.1',
        REDIS_PORT: String(redisPort),
        REDIS_PASSWORD: '',
        REDIS_DATABASE: '0',
        POSTGRES_URL: `${postgres.url}?sslmode=disable`,
        RABBITMQ_SERVER_URL: rabbitmqUrl,
        PUBLISH_MAX_CONCURRENCY: String(concurrency),
        DELIVERY_MAX_CONCURRENCY: String(concurrency),
        LOG_MAX_CONCURRENCY: String(concurrency),
        PORTAL_ORGANIZATION_NAME: 'bench',
      };
      await run(program('outpost'), ['migrate', 'apply', '--yes'], { cwd: home, env: { ...process.env, ...env } });
      const url = `http://127.0.0.1:${api}/api/v1`;
      const isReady = async (): Promise<true | undefined> =>
        (await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(2_000) })).ok || undefined;
      const server = { name: 'server', command: program('outpost-server'), args: [], env, cwd: home };
      const serve = (): Promise<void> => startReady(processes, server, isReady, startTimeoutMs);
      await serve();
      const call = createJsonApi(url, apiKey);
      for (const endpoints of [1, 10] as const) {
        await call('PUT', `/tenants/${tenantOf(endpoints)}`);
        for (const port of receiverPorts.slice(0, endpoints))
          await call('POST', `/tenants/${tenantOf(endpoints)}/destinations`, {
            type: 'webhook',
            topics: '*',
            config: { url: hookUrl(port) },
          });
      }
      return {
        processes: () => countedProcesses(processes, ['server', 'postgres', 'redis', 'rabbitmq', 'epmd']),
        target: (_, endpoints) => ({
          host: '127.0.0.1',
          port: api,
          path: '/api/v1/publish',
          headers: { authorization: `Bearer ${apiKey}` },
          before: `{"id":"{id}","tenant_id":"${tenantOf(endpoints)}","topic":"${topic}","data":`,
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

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { endpointSettlingMs } from '#lib/contract';
import { chosenProcessMode } from '#deploy/local/config.ts';
import { createApiClient } from '#deploy/local/smoke/api-client.ts';
import { freePorts } from '#deploy/local/stack/free-ports.ts';
import { createNativeParts } from '#deploy/local/stack/native-parts.ts';
import { pomFile, root } from '#deploy/local/paths.ts';
import { serviceNames, type StackPorts } from '#deploy/local/stack/ports.ts';
import { hostOf, type ProcessMode } from '#deploy/local/stack/process-mode.ts';
import { createProcesses } from '#deploy/local/processes/processes.ts';
import { provideSecrets } from '#deploy/local/stack/secrets.ts';
import { urlsAt } from '#deploy/local/stack/stack-urls.ts';
import type { Target } from '../traffic/job.ts';
import { storeSettings, storeVersions } from './stores.ts';
import { absenceMs, countedProcesses, type Endpoints, hookUrl, type Software } from './system.ts';

const settlingMarginMs = 1_000;
/** The default limits of a tenant and its key are below the rates measured. */
const requestsPerSecond = 100_000;
const env = { HOOKLINE_TENANT_LIMITS: `requests_per_second=${requestsPerSecond}` };
const rateLimit = { per_second: requestsPerSecond, burst: requestsPerSecond };

const mode: ProcessMode = chosenProcessMode() ?? 'separate';
const hosts = [...new Set(serviceNames.map((name) => hostOf(name, mode)))];

/** The processes of `make up`, by the same code, in a folder and on ports of its own, without the supervisor that restarts them. */
export const hookline: Software = {
  name: 'hookline',
  systems: ['hookline-webhooks', 'hookline-events'],
  trouble: () => undefined,
  async facts() {
    return {
      versions: [hooklineVersion(), `Kafka ${kafkaVersion()}`, ...(await storeVersions(() => undefined))],
      promises: {
        'hookline-webhooks':
          'the webhook is a record that all in-sync replicas of Kafka have (acks=all): here one broker, which leaves syncing to the operating system, in ' +
          'production three of which two must have it. Whether it is a duplicate is judged after that',
        'hookline-events':
          'the event, its payload, the answer under its Idempotency-Key and what is to be published are rows of one committed transaction of Postgres, synced',
      },
      settings: `six services, ${mode === 'one' ? 'in one process' : 'a process each'}, as \`make up\` starts them, without the supervisor and with a tenant's limit of requests to the API raised; ${storeSettings}; one Kafka broker`,
    };
  },
  async start({ dir, receiverPorts, say }) {
    const processes = createProcesses({ run: join(dir, 'run'), log: join(dir, 'log') });
    const secrets = provideSecrets(join(dir, 'secrets.env'));
    const ports = await stackPorts();
    const { servers, services } = await createNativeParts(ports, mode, secrets, processes, say, { dir, env });
    await servers.start();
    await services.setUp();
    await services.start();
    const { url } = urlsAt(ports);
    const made = new Map<Endpoints, { source: Source; key: string }>();
    for (const endpoints of [1, 10] as const) {
      const api = createApiClient({ url: url('api'), adminKey: secrets.adminKey, tenant: `bench${endpoints}` });
      const source = await api.post<Source>('/v1/sources', { name: 'bench', scheme: 'github' });
      const keySettings = { name: 'bench', scopes: ['publish'], rate_limit: rateLimit };
      const { key } = await api.post<{ key: string }>('/v1/api-keys', keySettings);
      for (const port of receiverPorts.slice(0, endpoints)) await api.post('/v1/endpoints', { url: hookUrl(port) });
      made.set(endpoints, { source, key });
    }
    await delay(endpointSettlingMs + settlingMarginMs);
    return {
      processes: () => countedProcesses(processes, [...hosts, 'kafka', 'redis', 'postgres', 'registry']),
      target(name, endpoints) {
        const { source, key } = made.get(endpoints) ?? {};
        if (source === undefined || key === undefined) throw new Error(`no tenant has ${endpoints} endpoints`);
        return name === 'hookline-events' ? eventsTarget(ports, key) : webhooksTarget(ports, source);
      },
      async killAndRestart() {
        await Promise.all(hosts.map((name) => processes.stop(name, { signal: 'SIGKILL' })));
        await delay(absenceMs);
        await services.start();
      },
    };
  },
};

interface Source {
  id: string;
  secret: string;
}

const webhooksTarget = (ports: StackPorts, { id, secret }: Source): Target => ({
  ...{ host: '127.0.0.1', port: ports.ingress, path: `/v1/webhooks/${id}` },
  headers: { 'x-github-event': 'push', 'x-github-delivery': '{id}' },
  ...{ before: '', after: '', signature: { header: 'x-hub-signature-256', secret } },
});

const eventsTarget = (ports: StackPorts, key: string): Target => ({
  ...{ host: '127.0.0.1', port: ports.api, path: '/v1/events' },
  headers: { authorization: `Bearer ${key}`, 'idempotency-key': '{id}' },
  ...{ before: '{"type":"bench.event","payload":', after: '}' },
});

async function stackPorts(): Promise<StackPorts> {
  const ports = await freePorts(16);
  const next = (): number => ports.pop() ?? 0;
  return {
    ...{ kafka: next(), kafkaController: next(), redis: next(), postgres: next(), registry: next() },
    ...{ ingress: next(), api: next(), console: next(), smokeReceiver: next(), demoReceiver: next() },
    admin: { ingress: next(), api: next(), dedup: next(), dispatcher: next(), projector: next(), console: next() },
  };
}

function hooklineVersion(): string {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  try {
    const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
    return `Hookline ${version} (${commit})`;
  } catch {
    // No checkout: the version alone.
    return `Hookline ${version}`;
  }
}

const kafkaVersion = (): string =>
  /<kafka\.version>([^<]+)</.exec(readFileSync(pomFile, 'utf8'))?.[1] ?? 'as in pom.xml';

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { createApiClient } from '#deploy/local/smoke/api-client.ts';
import { freePorts } from '#deploy/local/stack/free-ports.ts';
import type * as nativeParts from '#deploy/local/stack/native-parts.ts';
import { root } from '#deploy/local/paths.ts';
import { serviceNames, type StackPorts } from '#deploy/local/stack/ports.ts';
import { hostOf, type ProcessMode } from '#deploy/local/stack/process-mode.ts';
import { createProcesses } from '#deploy/local/processes/processes.ts';
import type * as secretsOfStack from '#deploy/local/stack/secrets.ts';
import { urlsAt } from '#deploy/local/stack/stack-urls.ts';
import type { Target } from '../traffic/job.ts';
import { storeSettings, storeVersions } from './stores.ts';
import { absenceMs, countedProcesses, type Endpoints, hookUrl, type Software, type SystemName } from './system.ts';

/** Longer than a new endpoint takes to count, in any checkout. */
const settlingMs = 6_000;
/** The default limits of a tenant and its key are below the rates measured. */
const requestsPerSecond = 100_000;
const env = { HOOKLINE_TENANT_LIMITS: `requests_per_second=${requestsPerSecond}` };
const rateLimit = { per_second: requestsPerSecond, burst: requestsPerSecond };

/** The systems of each mode: what is sent, and to which API. */
const systemsOf = {
  separate: ['hookline-webhooks', 'hookline-events'],
  one: ['hookline-one-webhooks', 'hookline-one-events'],
} as const satisfies Record<ProcessMode, readonly SystemName[]>;

const promiseOfWebhooks =
  'the webhook is a record that all in-sync replicas of Kafka have (acks=all): here one broker, which leaves syncing to the operating system, in ' +
  'production three of which two must have it. Whether it is a duplicate is judged after that';
const promiseOfEvents =
  'the event, its payload, the answer under its Idempotency-Key and what is to be published are rows of one committed transaction of Postgres, synced';

interface Options {
  mode: ProcessMode;
  /** Its folder's. Default: by the mode. */
  name?: string;
  /** The checkout whose code runs: its services, and its code and settings of `make up`. Default: this one. */
  tree?: string;
}

/**
 * The processes of `make up`, by the same code, in a folder and on ports of its own, without the supervisor that restarts them. They run from
 * the checkout, whose `node_modules` must be there.
 */
export function createHookline({
  mode,
  name = mode === 'one' ? 'hookline-one' : 'hookline',
  tree = root,
}: Options): Software {
  const hosts = [...new Set(serviceNames.map((service) => hostOf(service, mode)))];
  const [webhooks, events] = systemsOf[mode];
  return {
    name,
    systems: systemsOf[mode],
    trouble: () => undefined,
    async facts() {
      return {
        versions: [versionOf(tree), `Kafka ${kafkaVersionOf(tree)}`, ...(await storeVersions(() => undefined))],
        promises: { [webhooks]: promiseOfWebhooks, [events]: promiseOfEvents },
        settings: `six services, ${mode === 'one' ? 'in one process' : 'a process each'}, as \`make up\` starts them, without the supervisor and with a tenant's limit of requests to the API raised; ${storeSettings}; one Kafka broker`,
      };
    },
    async start({ dir, receiverPorts, say }) {
      const { createNativeParts, provideSecrets } = await codeOf(tree);
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
      await delay(settlingMs);
      return {
        processes: () => countedProcesses(processes, [...hosts, 'kafka', 'redis', 'postgres', 'registry']),
        target(system, endpoints) {
          const { source, key } = made.get(endpoints) ?? {};
          if (source === undefined || key === undefined) throw new Error(`no tenant has ${endpoints} endpoints`);
          return system === events ? eventsTarget(ports, key) : webhooksTarget(ports, source);
        },
        async killAndRestart() {
          await Promise.all(hosts.map((host) => processes.stop(host, { signal: 'SIGKILL' })));
          await delay(absenceMs);
          await services.start();
        },
      };
    },
  };
}

/** The code of `make up` in a checkout: what it starts, and with which settings, is as that checkout has it. */
async function codeOf(tree: string) {
  const load = (file: string): Promise<unknown> => import(pathToFileURL(join(tree, 'deploy/local/stack', file)).href);
  const { createNativeParts } = (await load('native-parts.ts')) as typeof nativeParts;
  const { provideSecrets } = (await load('secrets.ts')) as typeof secretsOfStack;
  return { createNativeParts, provideSecrets };
}

interface Source {
  id: string;
  secret: string;
}

const webhooksTarget = (ports: StackPorts, { id, secret }: Source): Target => ({
  host: '127.0.0.1',
  port: ports.ingress,
  path: `/v1/webhooks/${id}`,
  headers: { 'x-github-event': 'push', 'x-github-delivery': '{id}' },
  before: '',
  after: '',
  signature: { header: 'x-hub-signature-256', secret },
});

const eventsTarget = (ports: StackPorts, key: string): Target => ({
  host: '127.0.0.1',
  port: ports.api,
  path: '/v1/events',
  headers: { authorization: `Bearer ${key}`, 'idempotency-key': '{id}' },
  before: '{"type":"bench.event","payload":',
  after: '}',
});

async function stackPorts(): Promise<StackPorts> {
  const ports = await freePorts(16);
  const next = (): number => ports.pop() ?? 0;
  return {
    kafka: next(),
    kafkaController: next(),
    redis: next(),
    postgres: next(),
    registry: next(),
    ingress: next(),
    api: next(),
    console: next(),
    smokeReceiver: next(),
    demoReceiver: next(),
    admin: { ingress: next(), api: next(), dedup: next(), dispatcher: next(), projector: next(), console: next() },
  };
}

function versionOf(tree: string): string {
  const { version } = JSON.parse(readFileSync(join(tree, 'package.json'), 'utf8')) as { version: string };
  try {
    const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: tree, encoding: 'utf8' }).trim();
    return `Hookline ${version} (${commit})`;
  } catch {
    // No checkout: the version alone.
    return `Hookline ${version}`;
  }
}

const kafkaVersionOf = (tree: string): string =>
  /<kafka\.version>([^<]+)</.exec(readFileSync(join(tree, 'deploy/local/install/pom.xml'), 'utf8'))?.[1] ??
  'as in pom.xml';

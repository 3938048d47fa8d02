/** `make up`: starts what does not run, shows one webhook going through it, prints where everything is. */
import { runCommand, say } from './command.ts';
import { writeKeyValueFile } from './key-value-file.ts';
import { withLock } from './lock.ts';
import { root, stackFiles } from './paths.ts';
import { assertFree, portsAt, portsByProcess, stackProcessNames, type StackPorts } from './ports.ts';
import type { Processes } from './processes.ts';
import { runSmoke } from './run-smoke.ts';
import { provideSecrets } from './secrets.ts';
import { createServers, type ServerAddresses } from './servers.ts';
import { createServices, serviceNames, type Services } from './services.ts';
import { decidePortOffset, stackProcesses } from './stack.ts';

/** After the death of a broker its consumers need a while to find each other again. */
const smokeTimeoutMs = 90_000;

async function up(): Promise<void> {
  const startMs = performance.now();
  const seconds = (): string => `${((performance.now() - startMs) / 1000).toFixed(1).padStart(5)} s`;
  say('starting Hookline as local processes (no containers)');
  const processes = stackProcesses();
  const ports = portsAt(decidePortOffset(processes));
  const secrets = provideSecrets(stackFiles.secrets);
  const servers = await createServers({
    dir: stackFiles.dir,
    ports,
    postgresPassword: secrets.postgresPassword,
    durable: true,
    say,
  });
  const services = createServices({ root, ports, addresses: servers.addresses, secrets, processes });

  const before = new Map(stackProcessNames.map((name) => [name, processes.pid(name)]));
  await assertFree(portsWanted(ports, before));
  const sayReady = (name: string): void =>
    say(
      `  ${name.padEnd(10)} ${before.get(name) === processes.pid(name) ? 'runs already' : `ready after ${seconds()}`}`,
    );
  await servers.start(sayReady);
  await services.setUp();
  say(`  ${'setup'.padEnd(10)} migrations, topics and schemas after ${seconds()}`);
  await services.start(sayReady);
  writeKeyValueFile(
    stackFiles.localEnv,
    localEnv({ services, addresses: servers.addresses, processes, adminKey: secrets.adminKey }),
  );

  say('one signed webhook through it:');
  await runSmoke(processes, smokeTimeoutMs);
  say(`\nHookline is up (${seconds().trim()})\n`);
  say(whereEverythingIs(services, servers.addresses));
}

function portsWanted(
  ports: StackPorts,
  pids: ReadonlyMap<string, number | undefined>,
): { process: string; port: number }[] {
  return Object.entries(portsByProcess(ports))
    .filter(([process]) => pids.get(process) === undefined)
    .flatMap(([process, its]) => its.map((port) => ({ process, port })));
}

function localEnv(stack: {
  services: Services;
  addresses: ServerAddresses;
  processes: Processes;
  adminKey: string;
}): Record<string, string> {
  const { services, addresses, processes, adminKey } = stack;
  const pids = [...serviceNames, 'kafka', 'redis', 'postgres'].map((name) => [
    `${name.toUpperCase()}_PID`,
    String(processes.pid(name) ?? ''),
  ]);
  const adminUrls = serviceNames.map((name) => [`${name.toUpperCase()}_ADMIN_URL`, services.adminUrl(name)]);
  return {
    HOOKLINE_INGRESS_URL: services.url('ingress'),
    HOOKLINE_API_URL: services.url('api'),
    HOOKLINE_ADMIN_KEY: adminKey,
    HOOKLINE_KAFKA_BROKERS: addresses.kafkaBrokers.join(','),
    HOOKLINE_REDIS_URL: addresses.redisUrl,
    HOOKLINE_DATABASE_URL: addresses.databaseUrl,
    HOOKLINE_SCHEMA_REGISTRY_URL: addresses.schemaRegistryUrl,
    ...(Object.fromEntries([...pids, ...adminUrls]) as Record<string, string>),
  };
}

function whereEverythingIs(services: Services, addresses: ServerAddresses): string {
  const rows = [
    ['ingress', `${services.url('ingress')}/v1/webhooks/{source_id}`],
    ['api', `${services.url('api')}/v1`],
    ...serviceNames.map((name) => [`metrics of ${name}`, `${services.adminUrl(name)}/metrics`]),
    ['kafka', addresses.kafkaBrokers.join(',')],
    ['schema registry', addresses.schemaRegistryUrl],
    ['redis', addresses.redisUrl],
    ['postgres', addresses.databaseUrl.replace(/:[^:@/]*@/, ':…@')],
    ['all of it, keys and pids', '.hookline/local.env'],
  ];
  const commands = [
    ['set -a; . .hookline/local.env; set +a', 'then, for instance:'],
    ['curl -s "$HOOKLINE_API_URL/v1/events" -H "Authorization: Bearer $HOOKLINE_ADMIN_KEY"', ''],
    ['make smoke', 'another webhook'],
    ['make logs SERVICE=dispatcher', 'the last lines of its log; FOLLOW=1 goes on'],
    ['make down', 'stops everything; make clean removes the data as well'],
  ];
  return [
    ...rows.map(([name = '', where]) => `  ${name.padEnd(24)} ${where}`),
    '\nnext',
    ...commands.map(([command = '', what = '']) => `  ${command.padEnd(40)} ${what}`.trimEnd()),
  ].join('\n');
}

await runCommand(
  () => withLock(stackFiles.lock, 'make up', up, { onWait: (holder) => say(`waiting for ${holder} to end`) }),
  'interrupted: make up goes on from here, make down stops what has been started',
);

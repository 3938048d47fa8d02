/** `make up`: starts what does not run, shows one webhook going through it, prints where everything is. */
import { createCompose } from '../docker/compose.ts';
import { runCommand, say } from './command.ts';
import { chosenStackKind } from './config.ts';
import { startContainers } from './container-stack.ts';
import { writeKeyValueFile } from './key-value-file.ts';
import { withLock } from './lock.ts';
import { startNative } from './native-stack.ts';
import { stackFiles } from './paths.ts';
import { portsAt, type StackPorts } from './ports.ts';
import { runSmoke } from './run-smoke.ts';
import { provideSecrets } from './secrets.ts';
import { serviceNames } from './services.ts';
import { decidePortOffset, type RunningStack } from './stack.ts';
import { decideKind, runningStack, troubleOf } from './stack-kind.ts';
import { urlsAt } from './stack-urls.ts';

/** After the death of a broker its consumers need a while to find each other again. */
const smokeTimeoutMs = 90_000;

async function up(): Promise<void> {
  const startMs = performance.now();
  const seconds = (): string => `${((performance.now() - startMs) / 1000).toFixed(1).padStart(5)} s`;
  const running = runningStack();
  const offset = decidePortOffset(running !== undefined);
  const ports = portsAt(offset);
  const secrets = provideSecrets(stackFiles.secrets);
  const compose = createCompose(offset);
  const { kind, says } = await decideKind({
    running,
    chosen: chosenStackKind(),
    troubleOfContainers: () => troubleOf(compose, ports, secrets),
  });
  say(says);
  const stack =
    kind === 'native'
      ? await startNative(ports, secrets, seconds)
      : await startContainers(compose, { ports, secrets, offset }, seconds);
  writeKeyValueFile(stackFiles.localEnv, localEnv(stack, ports, secrets.adminKey));

  say('one signed webhook through it:');
  await runSmoke(stack, smokeTimeoutMs);
  say(`\nHookline is up (${seconds().trim()})\n`);
  say(whereEverythingIs(stack, ports));
}

function localEnv({ processes, addresses }: RunningStack, ports: StackPorts, adminKey: string): Record<string, string> {
  const { url, adminUrl } = urlsAt(ports);
  const pids = [...serviceNames, 'kafka', 'redis', 'postgres'].map((name) => [
    `${name.toUpperCase()}_PID`,
    String(processes.pid(name) ?? ''),
  ]);
  const adminUrls = serviceNames.map((name) => [`${name.toUpperCase()}_ADMIN_URL`, adminUrl(name)]);
  return {
    HOOKLINE_INGRESS_URL: url('ingress'),
    HOOKLINE_API_URL: url('api'),
    HOOKLINE_ADMIN_KEY: adminKey,
    HOOKLINE_KAFKA_BROKERS: addresses.kafkaBrokers.join(','),
    HOOKLINE_REDIS_URL: addresses.redisUrl,
    HOOKLINE_DATABASE_URL: addresses.databaseUrl,
    HOOKLINE_SCHEMA_REGISTRY_URL: addresses.schemaRegistryUrl,
    ...(Object.fromEntries([...pids, ...adminUrls]) as Record<string, string>),
  };
}

function whereEverythingIs({ addresses, more }: RunningStack, ports: StackPorts): string {
  const { url, adminUrl } = urlsAt(ports);
  const rows = [
    ['ingress', `${url('ingress')}/v1/webhooks/{source_id}`],
    ['api', `${url('api')}/v1`],
    ...serviceNames.map((name) => [`metrics of ${name}`, `${adminUrl(name)}/metrics`]),
    ['kafka', addresses.kafkaBrokers.join(',')],
    ['schema registry', addresses.schemaRegistryUrl],
    ['redis', addresses.redisUrl],
    ['postgres', addresses.databaseUrl.replace(/:[^:@/]*@/, ':…@')],
    ...more,
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

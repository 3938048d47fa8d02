/** `make up`: starts what does not run, shows one webhook going through it, prints where everything is. */
import { createCompose } from '../docker/compose.ts';
import { runCommand, say } from './command.ts';
import { chosenStackKind } from './config.ts';
import { stackFiles } from './paths.ts';
import { withLock } from './processes/lock.ts';
import { runSmoke } from './run-smoke.ts';
import { pageOf, type SmokeEvent } from './smoke/smoke.ts';
import { startContainers } from './stack/container-stack.ts';
import { writeLocalEnv } from './stack/local-env.ts';
import { startNative } from './stack/native-stack.ts';
import { portsAt, serviceNames, type StackPorts } from './stack/ports.ts';
import { decideProcessMode } from './stack/process-mode.ts';
import { provideSecrets } from './stack/secrets.ts';
import { decidePortOffset, type RunningStack } from './stack/stack.ts';
import { decideKind, runningStack, troubleOf } from './stack/stack-kind.ts';
import { urlsAt } from './stack/stack-urls.ts';

/** After the death of a broker its consumers need a while to find each other again. */
const smokeTimeoutMs = 90_000;

const startMs = performance.now();
const seconds = (): string => `${((performance.now() - startMs) / 1000).toFixed(1).padStart(5)} s`;

/** Resolves when all is ready, and `.hookline/local.env` says where. */
async function start(): Promise<{ stack: RunningStack; ports: StackPorts }> {
  const running = runningStack();
  const offset = decidePortOffset(running !== undefined);
  const mode = decideProcessMode(running !== undefined);
  const ports = portsAt(offset);
  const secrets = provideSecrets(stackFiles.secrets);
  const compose = createCompose(offset, mode);
  const { kind, says } = await decideKind({
    running,
    chosen: chosenStackKind(),
    troubleOfContainers: () => troubleOf(compose, ports, secrets),
  });
  say(mode === 'one' ? `${says}, the services in one process` : says);
  const stack =
    kind === 'native'
      ? await startNative(ports, mode, secrets, seconds)
      : await startContainers(compose, { ports, mode, secrets, offset }, seconds);
  writeLocalEnv(stackFiles.localEnv, stack, ports, secrets.adminKey);
  return { stack, ports };
}

async function up(): Promise<void> {
  const { stack, ports } = await withLock(stackFiles.lock, 'make up', start, {
    onWait: (holder) => say(`waiting for ${holder} to end`),
  });
  // Without the lock: what ends from now on the supervisor starts again.
  say('one signed webhook through it:');
  const event = await runSmoke(stack, smokeTimeoutMs);
  say(`\nHookline is up (${seconds().trim()})\n`);
  say(whereEverythingIs(stack, ports, event));
}

function whereEverythingIs({ addresses, more }: RunningStack, ports: StackPorts, event: SmokeEvent): string {
  const { url, adminUrl } = urlsAt(ports);
  const rows = [
    ['ingress', `${url('ingress')}/v1/webhooks/{source_id}`],
    ['api', `${url('api')}/v1`],
    ['console', url('console')],
    ...serviceNames.map((name) => [`metrics of ${name}`, `${adminUrl(name)}/metrics`]),
    ['kafka', addresses.kafkaBrokers.join(',')],
    ['schema registry', addresses.schemaRegistryUrl],
    ['redis', addresses.redisUrl],
    ['postgres', addresses.databaseUrl.replace(/:[^:@/]*@/, ':…@')],
    ...more,
    ['all of it, keys and pids', '.hookline/local.env'],
  ];
  const commands = [
    [`./hookline console --to ${pageOf(event)}`, ''],
    [
      '',
      'opens the journey of that webhook in the console, signed in; or sign in there with HOOKLINE_ADMIN_KEY of .hookline/local.env',
    ],
    [`./hookline events list --tenant ${event.tenant}`, 'lists its event, which has a tenant of its own'],
    ['set -a; . .hookline/local.env; set +a', 'then, for instance:'],
    [
      `curl -s "$HOOKLINE_API_URL/v1/events" -H "Authorization: Bearer $HOOKLINE_ADMIN_KEY" -H "Hookline-Tenant: ${event.tenant}"`,
      '',
    ],
    ['make smoke', 'another webhook'],
    ['make demo', 'fills the tenant demo with something to look at in the console'],
    ['make logs SERVICE=dispatcher', 'the last lines of its log; FOLLOW=1 goes on'],
    ['make down', 'stops everything; make clean removes the data as well'],
  ];
  return [
    ...rows.map(([name = '', where]) => `  ${name.padEnd(24)} ${where}`),
    '\nnext',
    ...commands.map(([command = '', what = '']) => `  ${command.padEnd(46)}  ${what}`.trimEnd()),
  ].join('\n');
}

await runCommand(up, 'interrupted: make up goes on from here, make down stops what has been started');

/**
 * Servers for tests as containers: those of docker-compose.yml, on free ports, without their volumes. Prints the path of a file with their
 * addresses, and removes everything when its standard input ends, like `test-servers.ts hold`.
 *
 *   node test/support/container-servers.ts hold --dir D
 */
import { rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { DockerComposeEnvironment, Wait } from 'testcontainers';
import { composeEnvironment } from '#deploy/docker/compose-environment.ts';
import { runCommand } from '#deploy/local/command.ts';
import { StackError } from '#deploy/local/failure.ts';
import { writePrivateFile } from '#deploy/local/key-value-file.ts';
import { root } from '#deploy/local/paths.ts';
import { portsAt } from '#deploy/local/stack/ports.ts';
import { serverPlanIn } from '#deploy/local/servers/server-plan.ts';
import { serverAddressesAt } from '#deploy/local/servers/server-addresses.ts';
import { testedServers } from './container-images.ts';

const startTimeoutMs = 300_000;

async function hold(dir: string): Promise<void> {
  // A signal to the whole group must not keep it from cleaning up; only its input says when.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  const released = new Promise<void>((resolve) => process.stdin.once('end', resolve).once('error', resolve).resume());
  const { ports, postgresPassword } = await serverPlanIn(dir);
  const secrets = { encryptionKeys: 'none', adminKey: 'none', postgresPassword };
  // It removes what it started, even if its parent dies: no watching container and no image for it is needed.
  process.env.TESTCONTAINERS_RYUK_DISABLED ??= 'true';
  const environment = new DockerComposeEnvironment(root, 'docker-compose.yml')
    .withProjectName(`hookline-${basename(dir)}`)
    .withEnvironment(composeEnvironment({ ...portsAt(0), ...ports }, secrets, 0))
    .withStartupTimeout(startTimeoutMs)
    .withDefaultWaitStrategy(Wait.forHealthCheck());
  const started = await environment.up([...testedServers]);
  try {
    const file = join(dir, 'servers.json');
    writePrivateFile(file, `${JSON.stringify(serverAddressesAt(ports, postgresPassword), null, 2)}\n`);
    console.log(file);
    await released;
  } finally {
    await started.down({ removeVolumes: true });
    rmSync(dir, { recursive: true, force: true });
  }
}

await runCommand(async () => {
  const { values, positionals } = parseArgs({ options: { dir: { type: 'string' } }, allowPositionals: true });
  if (values.dir === undefined || positionals[0] !== 'hold')
    throw new StackError('usage: container-servers.ts hold --dir DIR');
  await hold(resolve(values.dir));
});

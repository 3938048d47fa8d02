/**
 * Servers for tests, in a folder of their own, on free ports (the same ones at every start of the same folder).
 *
 *   node deploy/local/test-servers.ts start --dir D   starts missing servers, writes D/servers.json, leaves them running
 *   node deploy/local/test-servers.ts stop --dir D    stops them and removes D
 *   node deploy/local/test-servers.ts hold --dir D    starts, prints the path of servers.json, and stops and removes all when its
 *                                                     standard input ends, so they end with the process that holds it open, in any way
 *
 * `--durable` makes them like those of `make up`: Postgres syncs its writes, and Java's second compiler makes the broker fast. Without it
 * they start sooner.
 */
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runCommand } from './command.ts';
import { StackError } from './failure.ts';
import { writePrivateFile } from './key-value-file.ts';
import { removePostgresHome } from './servers/postgres-home.ts';
import { serverPlanIn } from './servers/server-plan.ts';
import { createServers, type Servers } from './servers/servers.ts';

const say = (line: string): void => console.error(line);

async function start(servers: Servers, dir: string): Promise<string> {
  await servers.start();
  const file = join(dir, 'servers.json');
  writePrivateFile(file, `${JSON.stringify(servers.addresses, null, 2)}\n`);
  return file;
}

async function stop(servers: Servers, dir: string): Promise<void> {
  await servers.stop();
  removePostgresHome(dir);
  rmSync(dir, { recursive: true, force: true });
}

async function hold(servers: Servers, dir: string): Promise<void> {
  // A signal to the whole group must not keep it from cleaning up; only its input says when.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  const released = new Promise<void>((resolve) => process.stdin.once('end', resolve).once('error', resolve).resume());
  servers.processes.adopt('holder', process.pid);
  try {
    console.log(await start(servers, dir));
    await released;
  } catch (error) {
    // An error of the stop would hide the first error.
    console.error(error);
    throw error;
  } finally {
    await stop(servers, dir);
  }
}

async function main(): Promise<void> {
  const options = { dir: { type: 'string' }, durable: { type: 'boolean', default: false } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [command] = positionals;
  if (values.dir === undefined) throw new StackError('usage: test-servers.ts start|stop|hold --dir DIR [--durable]');
  const dir = resolve(values.dir);
  const servers = await createServers({ dir, ...(await serverPlanIn(dir)), durable: values.durable, say });
  if (command === 'start') console.log(await start(servers, dir));
  else if (command === 'stop') await stop(servers, dir);
  else if (command === 'hold') await hold(servers, dir);
  else throw new StackError(`unknown command ${command}: start, stop or hold`);
}

await runCommand(main);

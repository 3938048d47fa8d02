/**
 * Servers for tests, in a folder of their own, on free ports (the same ones at every start of the same folder).
 *
 *   node deploy/local/test-servers.ts start --dir D   starts what does not run, writes D/servers.json, leaves them running
 *   node deploy/local/test-servers.ts stop --dir D    stops them and removes D
 *   node deploy/local/test-servers.ts hold --dir D    starts, prints the path of servers.json, and stops and removes all when its
 *                                                     standard input ends: so they end with the process that holds it open, however
 *                                                     that one ends
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runCommand } from './command.ts';
import { StackError } from './failure.ts';
import { freePorts } from './free-ports.ts';
import { writePrivateFile } from './key-value-file.ts';
import { removePostgresHome } from './postgres-home.ts';
import { createServers, type Servers, type ServerPorts } from './servers.ts';

interface Plan {
  ports: ServerPorts;
  postgresPassword: string;
}

const say = (line: string): void => console.error(line);

async function planIn(dir: string): Promise<Plan> {
  const file = join(dir, 'plan.json');
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Plan;
  const [kafka = 0, kafkaController = 0, redis = 0, postgres = 0, registry = 0] = await freePorts(5);
  const plan: Plan = {
    ports: { kafka, kafkaController, redis, postgres, registry },
    postgresPassword: randomBytes(16).toString('hex'),
  };
  mkdirSync(dir, { recursive: true });
  write(file, plan);
  return plan;
}

const write = (file: string, content: unknown): void => writePrivateFile(file, `${JSON.stringify(content, null, 2)}\n`);

async function start(servers: Servers, dir: string): Promise<string> {
  await servers.start();
  const file = join(dir, 'servers.json');
  write(file, servers.addresses);
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
  } finally {
    await stop(servers, dir);
  }
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options: { dir: { type: 'string' } }, allowPositionals: true });
  const [command] = positionals;
  if (values.dir === undefined) throw new StackError('usage: test-servers.ts start|stop|hold --dir DIR');
  const dir = resolve(values.dir);
  const servers = await createServers({ dir, ...(await planIn(dir)), durable: false, say });
  if (command === 'start') console.log(await start(servers, dir));
  else if (command === 'stop') await stop(servers, dir);
  else if (command === 'hold') await hold(servers, dir);
  else throw new StackError(`unknown command ${command}: start, stop or hold`);
}

await runCommand(main);

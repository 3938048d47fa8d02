import { globSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { provideTools } from '#deploy/local/install/install.ts';
import type { Processes } from '#deploy/local/processes/processes.ts';
import { startReady } from '#deploy/local/processes/ready.ts';
import { rabbitmq } from '#deploy/local/install/tools.ts';

interface Options {
  dir: string;
  processes: Processes;
  ports: { amqp: number; distribution: number; mapper: number };
  say(line: string): void;
}

const startTimeoutMs = 300_000;

/** RabbitMQ with its defaults, on loopback alone, with a port mapper of its own: Erlang would leave one running. @returns its URL */
export async function startRabbitmq({ dir, processes, ports, say }: Options): Promise<string> {
  const { rabbitmq: found } = await provideTools({ rabbitmq }, say);
  const home = join(dir, 'rabbitmq');
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'rabbitmq.conf'), `listeners.tcp.default = 127.0.0.1:${ports.amqp}\n`);
  writeFileSync(join(home, 'enabled_plugins'), '[].\n');
  writeFileSync(join(home, 'env.conf'), '');
  const erlang = { HOME: home, ERL_EPMD_ADDRESS: '127.0.0.1', ERL_EPMD_PORT: String(ports.mapper) };
  const mapper = { name: 'epmd', command: 'epmd', args: [], env: erlang, cwd: home };
  await startReady(processes, mapper, () => listens(ports.mapper), startTimeoutMs);
  const server = {
    name: 'rabbitmq',
    command: join(dirname(found), 'rabbitmq-server'),
    args: [],
    env: {
      ...erlang,
      RABBITMQ_NODENAME: 'peers@localhost',
      RABBITMQ_MNESIA_BASE: join(home, 'data'),
      RABBITMQ_LOG_BASE: join(home, 'log'),
      RABBITMQ_CONFIG_FILE: join(home, 'rabbitmq.conf'),
      RABBITMQ_CONF_ENV_FILE: join(home, 'env.conf'),
      RABBITMQ_ENABLED_PLUGINS_FILE: join(home, 'enabled_plugins'),
      RABBITMQ_DIST_PORT: String(ports.distribution),
      RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
    },
    cwd: home,
  };
  await startReady(processes, server, () => speaksAmqp(ports.amqp), startTimeoutMs);
  return `amqp://guest:guest@127.0.0.1:${ports.amqp}`;
}

export async function rabbitmqVersion(say: (line: string) => void): Promise<string> {
  const { rabbitmq: found } = await provideTools({ rabbitmq }, say);
  const [plugin = 'rabbit-'] = globSync('plugins/rabbit-[0-9]*', { cwd: join(dirname(found), '..') });
  return `RabbitMQ ${basename(plugin, '.ez').slice('rabbit-'.length)}`;
}

const listens = (port: number): Promise<true> => ask(port, undefined, () => true);

/** The protocol's header is answered with the first method of a connection. */
const speaksAmqp = (port: number): Promise<true> =>
  ask(port, Buffer.from([...Buffer.from('AMQP'), 0, 0, 9, 1]), ([first]) => first === 1);

function ask(port: number, question: Buffer | undefined, isAnswer: (answer: Buffer) => boolean): Promise<true> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => {
      if (question !== undefined) return void socket.write(question);
      resolve(true);
      socket.destroy();
    });
    socket.setTimeout(2_000, () => socket.destroy(new Error(`no answer from 127.0.0.1:${port}`)));
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`127.0.0.1:${port} closed the connection`)));
    socket.on('data', (answer) => {
      if (isAnswer(answer)) resolve(true);
      socket.destroy();
    });
  });
}

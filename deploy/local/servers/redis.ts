import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Processes, Program } from '../processes/processes.ts';
import { startReady } from '../processes/ready.ts';

export interface RedisOptions {
  dir: string;
  port: number;
  processes: Processes;
  /** The program redis-server, version 7.0 or later. */
  program: string;
}

export interface Redis {
  url: string;
  start(): Promise<void>;
  /** Starts it if it doesn't run; does not wait until it is ready. */
  launch(): Promise<void>;
  stop(): Promise<void>;
  healthy(): Promise<boolean>;
}

const startTimeoutMs = 60_000;

export function createRedis({ dir, port, processes, program }: RedisOptions): Redis {
  const data = join(dir, 'redis');
  const server = (): Program => {
    mkdirSync(data, { recursive: true });
    const settings = {
      port: String(port),
      bind: '127.0.0.1',
      dir: data,
      appendonly: 'yes',
      save: '',
      // Tests give each of their pipelines one of its own, to forget what is in it.
      databases: '256',
      'maxmemory-policy': 'noeviction',
    };
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
    return { name: 'redis', command: program, args, cwd: data };
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    start: async () => startReady(processes, server(), () => answersPing(port), startTimeoutMs),
    launch: async () => void (await processes.start(server())),
    stop: () => processes.stop('redis'),
    healthy: () => answersPing(port).then(Boolean, () => false),
  };
}

/** While it loads its file it answers `-LOADING`. */
function answersPing(port: number): Promise<true | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write('PING\r\n'));
    socket.setTimeout(2_000, () => socket.destroy(new Error(`no answer from 127.0.0.1:${port}`)));
    socket.on('error', reject);
    socket.on('data', (answer) => {
      socket.end();
      resolve(answer.toString().startsWith('+PONG') || undefined);
    });
  });
}

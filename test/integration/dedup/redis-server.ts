import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { find, redisServer } from '#deploy/local/install/tools.ts';
import { freePorts } from '#deploy/local/stack/free-ports.ts';
import { freeze } from '../../support/freeze.ts';
import { startOrphanReaper } from '../../support/orphan-reaper.ts';
import { waitUntil, within } from '../../support/wait-until.ts';

/** A Redis of the test's own, in memory, that may be told to forget, to hang and to die. */
export interface OwnRedis {
  url: string;
  port: number;
  /** Sends one command as words, and gives the answer as the server wrote it. */
  command(...words: string[]): Promise<string>;
  /** It keeps its connections and takes new ones, and answers nothing. */
  hang(): Promise<void>;
  resume(): void;
  stop(): Promise<void>;
}

/** @param program arguments in place of settings: a file, and what it is to be */
export async function startOwnRedis(
  settings: Readonly<Record<string, string>> = {},
  port?: number,
  program?: readonly string[],
): Promise<OwnRedis> {
  const found = await find(redisServer);
  if (found === undefined || 'tooOld' in found)
    throw new Error('there is no redis-server of version 7.0 or later here');
  const listeningOn = port ?? (await freePorts(1))[0] ?? 0;
  const options = { port: String(listeningOn), bind: '127.0.0.1', save: '', appendonly: 'no', ...settings };
  const args = program ?? Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  // A master and its replica write a dump there when they meet, whatever `save` says.
  const dir = mkdtempSync(join(tmpdir(), 'hookline-own-redis-'));
  const child = spawn(found.path, args, { cwd: dir, stdio: 'ignore' });
  const exited = once(child, 'exit');
  const reaper = startOrphanReaper();
  reaper.watch(child.pid ?? 0);

  const command = (...words: string[]): Promise<string> => ask(listeningOn, words);
  await waitUntil('Redis answers', () => command('PING').then(Boolean, () => false));
  return {
    url: `redis://127.0.0.1:${listeningOn}`,
    port: listeningOn,
    command,
    hang: () => freeze(child.pid),
    resume: () => void child.kill('SIGCONT'),
    async stop() {
      child.kill('SIGKILL');
      await exited;
      reaper.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Long enough for a busy machine. */
const answerTimeoutMs = 30_000;

async function ask(port: number, words: string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  try {
    const answered = once(socket, 'data').then(([data]) => String(data as Buffer));
    socket.write(`*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`);
    return await within(`Redis answers ${words[0]}`, answerTimeoutMs, answered);
  } finally {
    socket.destroy();
  }
}

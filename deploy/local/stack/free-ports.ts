import { randomInt } from 'node:crypto';
import { closeSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

/**
 * Below the ports that Linux gives to outgoing connections (from 32768): another connection could take one of those before a process
 * listens on it, or while it restarts.
 */
const from = 20_000;
const to = 32_768;
/** Nobody else on this machine gets a port for so long, even if nothing listens on it: its process may be starting, or killed. */
const takenForMs = 30 * 60_000;
const takenDir = join(tmpdir(), `hookline-ports-${userInfo().uid}`);
/** Far more than there are ports: then none is free. */
const mostTries = 200_000;

/**
 * Ports on loopback that are free and were not given out lately, all different, picked at random.
 *
 * @throws Error if there are too few
 */
export async function freePorts(count: number): Promise<number[]> {
  mkdirSync(takenDir, { recursive: true });
  const free: number[] = [];
  for (let tries = 0; free.length < count; tries += 1) {
    if (tries === mostTries) throw new Error(`no ${count} ports from ${from} to ${to} are free (${takenDir})`);
    const port = randomInt(from, to);
    if (take(port) && (await isFree(port))) free.push(port);
  }
  return free;
}

/** Creates the port's file, which only one process can do. */
function take(port: number): boolean {
  const file = join(takenDir, String(port));
  const takenAtMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (takenAtMs !== undefined && takenAtMs > Date.now() - takenForMs) return false;
  if (takenAtMs !== undefined) rmSync(file, { force: true });
  try {
    closeSync(openSync(file, 'wx'));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1' }, () => server.close(() => resolve(true)));
  });
}

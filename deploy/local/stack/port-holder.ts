import { execFile } from 'node:child_process';
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The process that listens on a port of this machine, as `pid 4711 (nginx)`; undefined if unknown (another user's process). */
export async function portHolder(port: number): Promise<string | undefined> {
  try {
    return process.platform === 'linux' ? linuxHolder(port) : await lsofHolder(port);
  } catch {
    return undefined;
  }
}

const listening = '0A';

/** proc(5): /proc/net/tcp has the socket's inode, and the process that holds it has a link to it among its file descriptors. */
function linuxHolder(port: number): string | undefined {
  const inodes = new Set(['tcp', 'tcp6'].flatMap((table) => listeningInodes(`/proc/net/${table}`, port)));
  if (inodes.size === 0) return undefined;
  const pid = readdirSync('/proc').find((entry) => /^\d+$/.test(entry) && holdsSocket(entry, inodes));
  return pid === undefined ? undefined : `pid ${pid} (${commandOf(pid)})`;
}

function listeningInodes(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return lines(table)
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => local?.endsWith(suffix) === true && state === listening)
    .flatMap((fields) => fields[9] ?? []);
}

function lines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').slice(1);
  } catch {
    return [];
  }
}

function holdsSocket(pid: string, inodes: ReadonlySet<string>): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      const [, inode] = /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${fd}`)) ?? [];
      return inode !== undefined && inodes.has(inode);
    });
  } catch {
    return false;
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function commandOf(pid: string): string {
  const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim();
  return words.length > 60 ? `${words.slice(0, 60)}…` : words;
}

async function lsofHolder(port: number): Promise<string | undefined> {
  const { stdout } = await run('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc']);
  const [, pid] = /^p(\d+)$/m.exec(stdout) ?? [];
  const [, command] = /^c(.+)$/m.exec(stdout) ?? [];
  return pid === undefined ? undefined : `pid ${pid} (${command ?? '?'})`;
}

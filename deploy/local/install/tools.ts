import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { javaHome, searchPath } from '../config.ts';

const run = promisify(execFile);

/** A program that the stack needs from the machine. */
export interface Tool {
  name: string;
  program: string;
  versionArgs: readonly string[];
  /** The least major version; none where any will do. */
  atLeast?: number;
  /** Folders searched in addition to the PATH. */
  folders: readonly string[];
  /** Debian packages, the first that the system offers is taken. */
  debian: readonly string[];
  brew: string;
}

const brewKegs = (formula: string): string[] =>
  ['/opt/homebrew/opt', '/usr/local/opt'].map((opt) => join(opt, formula, 'bin'));

export const java: Tool = {
  name: 'Java',
  program: 'java',
  versionArgs: ['-version'],
  atLeast: 17,
  folders: [...(javaHome() === undefined ? [] : [join(javaHome() ?? '', 'bin')]), ...brewKegs('openjdk@17')],
  debian: ['openjdk-17-jre-headless', 'default-jre-headless'],
  brew: 'openjdk@17',
};

export const maven: Tool = {
  name: 'Maven',
  program: 'mvn',
  versionArgs: ['-version'],
  folders: brewKegs('maven'),
  debian: ['maven'],
  brew: 'maven',
};

/** Dedup takes 7.0 or later: libs/redis. */
export const redisServer: Tool = {
  name: 'Redis',
  program: 'redis-server',
  versionArgs: ['--version'],
  atLeast: 7,
  folders: brewKegs('redis'),
  debian: ['redis-server'],
  brew: 'redis',
};

export const postgresServer: Tool = {
  name: 'Postgres',
  program: 'postgres',
  versionArgs: ['--version'],
  atLeast: 15,
  // Looked up each time: an installation may have come in between.
  get folders() {
    return [...debianPostgresFolders(), ...brewKegs('postgresql@17'), ...brewKegs('postgresql@15')];
  },
  debian: ['postgresql'],
  brew: 'postgresql@17',
};

/** Only tests need it: the stack speaks to Postgres itself. */
export const pgbouncer: Tool = {
  name: 'PgBouncer',
  program: 'pgbouncer',
  versionArgs: ['--version'],
  // Debian's is not in the PATH of everybody.
  folders: ['/usr/sbin', ...brewKegs('pgbouncer')],
  debian: ['pgbouncer'],
  brew: 'pgbouncer',
};

/** Only tests need it: the local stack runs without. */
export const prometheusServer: Tool = {
  name: 'Prometheus',
  program: 'prometheus',
  versionArgs: ['--version'],
  atLeast: 2,
  folders: brewKegs('prometheus'),
  debian: ['prometheus'],
  brew: 'prometheus',
};

/** Comes with Prometheus. */
export const promtool: Tool = { ...prometheusServer, name: 'promtool', program: 'promtool' };

/** Comes with the Alertmanager. Only tests need it. */
export const amtool: Tool = {
  name: 'amtool',
  program: 'amtool',
  versionArgs: ['--version'],
  folders: brewKegs('alertmanager'),
  debian: ['prometheus-alertmanager'],
  brew: 'alertmanager',
};

/** A client of Kafka that is not ours. Only tests by night need it. */
export const kcat: Tool = {
  name: 'kcat',
  program: 'kcat',
  versionArgs: ['-V'],
  folders: brewKegs('kcat'),
  debian: ['kcat'],
  brew: 'kcat',
};

/** Only tests of the console need it. */
export const chromium: Tool = {
  name: 'Chromium',
  program: 'chromium',
  versionArgs: ['--version'],
  folders: [],
  debian: ['chromium'],
  brew: 'chromium',
};

/**
 * Only the comparison with peers needs it. The command that is looked for only sets variables: `rabbitmqctl version` would leave a daemon
 * running, and Debian's own commands would have the server run as another user. The server is beside it.
 */
export const rabbitmq: Tool = {
  name: 'RabbitMQ',
  program: 'rabbitmq-defaults',
  versionArgs: [],
  get folders() {
    return [...debianRabbitmqFolders(), ...brewKegs('rabbitmq')];
  },
  debian: ['rabbitmq-server'],
  brew: 'rabbitmq',
};

function debianRabbitmqFolders(root = '/usr/lib/rabbitmq/lib'): string[] {
  return existsSync(root) ? readdirSync(root).map((release) => join(root, release, 'sbin')) : [];
}

/** Debian keeps Postgres outside the PATH, a folder a version: the newest first. */
function debianPostgresFolders(root = '/usr/lib/postgresql'): string[] {
  if (!existsSync(root)) return [];
  return readdirSync(root)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(root, version, 'bin'));
}

export type Found = { path: string } | { tooOld: string; path: string } | undefined;

/** The first program in its folders, then in the PATH, with a suitable version. */
export async function find(tool: Tool, path = searchPath()): Promise<Found> {
  let tooOld: Found;
  for (const folder of [...tool.folders, ...path]) {
    const candidate = join(folder, tool.program);
    if (!existsSync(candidate)) continue;
    const major = await majorVersion(candidate, tool.versionArgs);
    if (major === undefined) continue;
    if (tool.atLeast === undefined || major >= tool.atLeast) return { path: candidate };
    tooOld ??= { path: candidate, tooOld: String(major) };
  }
  return tooOld;
}

/** undefined if it can't be run (macOS has a `java` that only says where to get one). */
async function majorVersion(program: string, args: readonly string[]): Promise<number | undefined> {
  try {
    const { stdout, stderr } = await run(program, args);
    const version = /(\d+)(?:\.\d+)*/.exec(`${stdout}${stderr}`.replace(/^.*?(?:version|v=|PostgreSQL\))/s, ''));
    return version === null ? 0 : Number(version[1]);
  } catch {
    return undefined;
  }
}

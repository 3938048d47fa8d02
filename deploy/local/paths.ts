import { join, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../..');
/** Everything that the local stack and the tests write. */
export const hooklineDir = join(root, '.hookline');
export const jarsDir = join(hooklineDir, 'lib');
/** Sources without their types, compiled: half of what it takes to start a process, and memory that stripping them would keep. */
export const compileCacheDir = join(hooklineDir, 'compile-cache');
export const pomFile = join(import.meta.dirname, 'install', 'pom.xml');

/** The local stack's own. */
export const stackFiles = {
  /** Folder of the servers' data. */
  dir: hooklineDir,
  run: join(hooklineDir, 'run'),
  log: join(hooklineDir, 'log'),
  /** Held by every command that starts or stops the stack. */
  lock: join(hooklineDir, 'stack.lock'),
  installLock: join(hooklineDir, 'install.lock'),
  smokeLock: join(hooklineDir, 'smoke.lock'),
  demoLock: join(hooklineDir, 'demo.lock'),
  /** Addresses and pids for users and scripts. */
  localEnv: join(hooklineDir, 'local.env'),
  secrets: join(hooklineDir, 'secrets.env'),
  /** The port offset that the stack was started with. */
  portOffset: join(hooklineDir, 'port-offset'),
  /** The services' processes as the stack was started with them. */
  processMode: join(hooklineDir, 'process-mode'),
  smoke: join(hooklineDir, 'smoke.json'),
  /** The pid of a supervisor that watches. */
  watching: join(hooklineDir, 'run', 'supervisor.watching'),
  /** Restarts by the supervisor since the last look. */
  restarts: join(hooklineDir, 'restarts.jsonl'),
};

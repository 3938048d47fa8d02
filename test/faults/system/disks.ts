/**
 * Disks that can be full, for servers of a run: file systems in memory whose size is set to their content. They need the permission to
 * mount; without it, the reason is reported.
 */
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Disk {
  /** Fills the disk. */
  fill(): void;
  empty(): void;
}

export interface Disks {
  /** Disks of the last broker, and of Postgres. */
  kafka: Disk;
  postgres: Disk;
  /** Call it when their users have ended. */
  release(): void;
}

export interface NoDisks {
  whyNot: string;
}

/** Most memory that a disk takes, and only for the files on it. */
const roomBytes = { kafka: 1024 ** 3, postgres: 2 * 1024 ** 3 };

/**
 * @param dir of the servers, before they are made
 * @param broker the name of the folder that its data is to be in
 */
export function mountDisks(dir: string, broker: string): Disks | NoDisks {
  const brokerHome = join(dir, broker);
  mkdirSync(brokerHome, { recursive: true });
  // In a folder that Postgres's user can enter.
  const postgresHome = mkdtempSync(join(tmpdir(), 'hookline-disk-'));
  const homes = [brokerHome, postgresHome];
  try {
    mount(brokerHome, roomBytes.kafka);
    mount(postgresHome, roomBytes.postgres);
  } catch (error) {
    release(homes);
    const { stderr } = error as { stderr?: Buffer };
    return { whyNot: `no disk can be mounted here: ${stderr?.toString().trim() ?? String(error)}` };
  }
  chmodSync(postgresHome, 0o755);
  writeFileSync(join(dir, 'postgres-home'), `${postgresHome}\n`);
  const watch = releaseWhenOrphaned(homes);
  return {
    kafka: diskAt(brokerHome, roomBytes.kafka),
    postgres: diskAt(postgresHome, roomBytes.postgres),
    release() {
      release(homes);
      watch.end();
    },
  };
}

const fillTries = 50;

const run = (program: string, args: readonly string[]): unknown =>
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });

const mount = (path: string, bytes: number): unknown =>
  run('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'hookline-faults', path]);

function diskAt(path: string, bytes: number): Disk {
  const resize = (to: number): unknown => run('mount', ['-o', `remount,size=${to}`, path]);
  return {
    fill() {
      for (let tries = 1; ; tries += 1) {
        const { blocks, bfree, bsize } = statfsSync(path);
        try {
          return void resize((blocks - bfree + 1) * bsize);
        } catch (error) {
          // It can't be less than what has come meanwhile.
          if (tries === fillTries) throw error;
        }
      }
    },
    empty: () => void resize(bytes),
  };
}

function release(homes: readonly string[]): void {
  for (const home of homes) {
    try {
      run('umount', [home]);
    } catch {
      // It was not mounted, or a process that is about to end still uses it.
      try {
        run('umount', ['--lazy', home]);
      } catch {
        // It was not.
      }
    }
    rmSync(home, { recursive: true, force: true });
  }
}

const orphanSeconds = 60;

/** Releases the disks after any end of the run, when their users have ended too. */
function releaseWhenOrphaned(homes: readonly string[]): { end(): void } {
  const script = `cat >/dev/null; for home in "$@"; do for second in $(seq ${orphanSeconds}); do
    mountpoint -q "$home" || break; umount "$home" 2>/dev/null || sleep 1; done; rm -rf "$home"; done`;
  const child = spawn('sh', ['-c', script, 'sh', ...homes], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  child.stdin.on('error', () => undefined);
  return { end: () => void child.stdin.end() };
}

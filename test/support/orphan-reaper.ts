import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface OrphanReaper {
  watch(pid: number): void;
  release(pid: number): void;
  stop(): void;
}

const script = fileURLToPath(new URL('reap-orphans.ts', import.meta.url));

/** Sees to it that no process of a run outlives it, however the run ends: see reap-orphans.ts. */
export function startOrphanReaper(): OrphanReaper {
  const child = spawn(process.execPath, [script], { detached: true, stdio: ['pipe', 'ignore', 'inherit'] });
  const { stdin } = child;
  // Neither the child nor the pipe keeps the run alive.
  child.unref();
  (stdin as unknown as { unref(): void }).unref();
  stdin.on('error', () => undefined);
  return {
    watch: (pid) => void stdin.write(`+${pid}\n`),
    release: (pid) => void stdin.write(`-${pid}\n`),
    stop: () => void stdin.end(),
  };
}

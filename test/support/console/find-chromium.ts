import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('print-chromium.ts', import.meta.url));

/** jest wants to know at once which tests there are: this waits, also for an installation. */
export function findChromium(): { path: string } | { missing: string } {
  const { status, stdout } = spawnSync(process.execPath, [program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
  const said = stdout.trim();
  return status === 0 ? { path: said } : { missing: said };
}

/** Puts each mutant into a copy of the tree and runs its scenario there, by hand: `node test/faults/receiving/try-mutants.ts [NAME]`. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { jarsDir, root } from '#deploy/local/paths.ts';
import { type Mutant, mutants } from './mutants.ts';

const notCopied = new Set(['node_modules', '.hookline', '.git', 'coverage']);
const size = ['--webhooks', '4000', '--turns', '1', '--seed', '11'];

function tryMutant({ file, find, replace, scenario, anomalies }: Mutant): { seen: boolean; says: string } {
  const copy = mkdtempSync(join(tmpdir(), 'hookline-mutant-'));
  try {
    cpSync(root, copy, { recursive: true, filter: (path) => !notCopied.has(basename(path)) });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    mkdirSync(join(copy, '.hookline'));
    symlinkSync(jarsDir, join(copy, '.hookline', basename(jarsDir)));
    const path = join(copy, file);
    const text = readFileSync(path, 'utf8');
    if (text.split(find).length !== 2) throw new Error(`${file} does not have this once:\n${find}`);
    writeFileSync(
      path,
      text.replace(find, () => replace),
    );
    const run = ['test/faults/receiving/main.ts', '--scenario', scenario, ...size];
    const { status, stdout, stderr } = spawnSync(process.execPath, run, { cwd: copy, encoding: 'utf8' });
    const found = anomalies.filter((anomaly) => new RegExp(`^ *${anomaly} \\d+:`, 'm').test(stdout));
    return { seen: status === 1 && found.length > 0, says: found.join() || `exit ${status}\n${stdout}\n${stderr}` };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

const chosen = mutants.filter(({ name }) => name.includes(process.argv[2] ?? ''));
const missed = chosen.filter((mutant) => {
  const { seen, says } = tryMutant(mutant);
  console.log(`${seen ? 'seen  ' : 'MISSED'}  ${mutant.name}: ${says}`);
  return !seen;
});
process.exit(missed.length === 0 && chosen.length > 0 ? 0 : 1);

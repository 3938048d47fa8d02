/**
 * `node test/bench/soak/try-leaks.ts [minutes] [per second]`: adds four leaks to a copy of the tree, each in another process, and runs a
 * soak there, which must find all of them; exit code 0 then.
 */
import { copyTree } from '../../faults/mutants/copied-tree.ts';
import { runWithin } from '../../faults/mutants/run-within.ts';
import { leaks } from './leaks.ts';

const [minutes = '5', perSecond = '10'] = process.argv.slice(2);
/** Beside the load: servers that start, what is left to be drained. */
const marginMs = 600_000;

const tree = copyTree(leaks.map(({ edit }) => edit));
try {
  const { code, output } = await runWithin(
    Number(minutes) * 60_000 + marginMs,
    ['test/bench/soak/run.ts', '--minutes', minutes, '--per-second', perSecond],
    tree.dir,
  );
  console.log(output);
  const found = (name: string): boolean => output.includes(`VIOLATION ${name} is not flat`);
  const missed = leaks.filter(({ seenAs }) => !seenAs.some(found));
  for (const leak of leaks) console.log(`${missed.includes(leak) ? 'MISSED' : 'seen  '}  ${leak.what}`);
  process.exitCode = code === 1 && missed.length === 0 ? 0 : 1;
} finally {
  tree.remove();
}

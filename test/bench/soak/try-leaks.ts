/**
 * `node test/bench/soak/try-leaks.ts [minutes] [per second]`: adds four leaks to a copy of the tree, each in another process, and runs a
 * soak there, which must find all of them; exit code 0 then.
 */
import { copyTree } from '../../faults/mutants/copied-tree.ts';
import type { Edit } from '../../faults/mutants/mutant.ts';
import { runWithin } from '../../faults/mutants/run-within.ts';

interface Leak {
  what: string;
  edit: Edit;
  /** One of these must be found. */
  seenAs: readonly string[];
}

const leaks: readonly Leak[] = [
  {
    what: 'dedup keeps 16 kB of each record',
    edit: {
      file: 'services/dedup/accept-once.ts',
      find: 'const item = readItem(record);',
      replace:
        'const item = readItem(record);\n' +
        '        ((globalThis as any).leaked ??= []).push(Array.from({ length: 2_000 }, Math.random));',
    },
    seenAs: ['memory of dedup', 'heap of dedup'],
  },
  {
    what: 'the dispatcher opens a file at every tenth attempt, and does not close it',
    edit: {
      file: 'services/dispatcher/send/dispatch.ts',
      find: '    logAttempt(job, sending, after);',
      replace:
        "    if (Math.random() < 0.1) void import('node:fs').then(({ openSync }) => openSync('/dev/null', 'r'));\n" +
        '    logAttempt(job, sending, after);',
    },
    seenAs: ['handles of dispatcher'],
  },
  {
    what: 'the api opens a connection for each event that is published, and does not close it',
    edit: {
      file: 'services/api/routes/publish-event.ts',
      find: 'const nowMs = clock.nowMs();',
      replace:
        'const nowMs = clock.nowMs();\n' +
        "      const [host, port] = (process.env.HOOKLINE_KAFKA_BROKERS ?? '').split(',')[0]!.split(':');\n" +
        "      void import('node:net').then(({ connect }) => connect(Number(port), host).on('error', () => undefined));",
    },
    seenAs: ['connections of api'],
  },
  {
    what: 'the projector takes longer for a batch, the longer it runs',
    edit: {
      file: 'services/projector/project-records.ts',
      find: 'await project(await readAll(records, patiently), 1, patiently);',
      replace:
        'await new Promise((resolve) => setTimeout(resolve, process.uptime() * 30));\n' +
        '      await project(await readAll(records, patiently), 1, patiently);',
    },
    seenAs: ['lag of projector'],
  },
];

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

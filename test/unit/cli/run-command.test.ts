import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { CommandFailure, usageFailure } from '../../../services/cli/command-failure.ts';
import { verbTable } from '../../../services/cli/commands/table.ts';
import { runCommand } from '../../../services/cli/run-command.ts';
import { flag, list, text, verb, type VerbTable } from '../../../services/cli/verb.ts';
import { createOwnContext, type OwnContext } from '../../support/own-context.ts';
import { runHookline, spawnHookline } from '../../support/run-hookline.ts';

const runs: object[] = [];
const options = {
  secret: text('SECRET', 'what is shared'),
  header: list('HEADER', 'one of several'),
  'dry-run': flag('changes nothing'),
  'no-wait': flag('does not wait'),
};
const table: VerbTable = {
  things: {
    summary: 'Manage things',
    verbs: {
      show: verb({
        summary: 'Show a thing',
        argument: 'id',
        options,
        async run(values, given) {
          runs.push({ ...values, ...given });
          if (values.secret === 'wrong') throw usageFailure('--secret must be another');
          if (values.secret === 'refused') throw new CommandFailure(1, 'refused');
          return 7;
        },
      }),
    },
  },
};
const run = (...args: string[]): Promise<number> => runCommand(args, own.context, table);

let own: OwnContext;
beforeEach(() => {
  own = createOwnContext();
  runs.length = 0;
});

test('runs the verb that is named, with its options and argument, and returns its exit code', async () => {
  expect(await run('things', 'show', 'x', '--secret', 's', '--header=a', '--header', '-', '--json')).toBe(7);
  expect(runs).toEqual([{ id: 'x', secret: 's', header: ['a', '-'], 'dry-run': false, 'no-wait': false, json: true }]);
});

test('takes options and the argument in any order; absent ones are undefined or false', async () => {
  await run('things', 'show', '--dry-run', 'x', '--no-wait');
  expect(runs).toEqual([
    { id: 'x', secret: undefined, header: undefined, 'dry-run': true, 'no-wait': true, json: false },
  ]);
});

test('behind `--`, what looks like an option is an argument', async () => {
  for (const id of ['--help', '--secret', '--']) {
    expect(await run('things', 'show', '--', id)).toBe(7);
    expect(runs.at(-1)).toMatchObject({ id });
  }
});

test.each([
  ['--help', 'usage: hookline <command>'],
  ['help', 'usage: hookline <command>'],
  ['-h', 'usage: hookline <command>'],
  ['things --help', 'usage: hookline things <command>'],
  ['help things', 'usage: hookline things <command>'],
  ['things show --help', 'usage: hookline things show [options] <id>'],
  ['things help show', 'usage: hookline things show [options] <id>'],
  ['things show x -h', 'usage: hookline things show [options] <id>'],
])('`hookline %s` prints help and exits 0', async (call, help) => {
  expect(await run(...call.split(' '))).toBe(0);
  expect(own.stdout()).toContain(help);
  expect(runs).toEqual([]);
});

const showUsage = '\nusage: hookline things show [options] <id>';

test.each([
  ['', 'missing command\n\nusage: hookline <command>'],
  ['things', 'missing command\n\nusage: hookline things <command>'],
  ['thing', "unknown command 'thing'\n(Did you mean things?)\nusage: hookline <command> [options]"],
  ['help thing', "unknown command 'thing'"],
  ['things shwo x', "unknown command 'shwo'\n(Did you mean show?)\nusage: hookline things <command> [options]"],
  ['things constructor', "unknown command 'constructor'\nusage: hookline things <command> [options]"],
  ['--json things show x', "unknown option '--json'"],
  ['things show', `missing required argument 'id'${showUsage}`],
  ['things show x y z', `unexpected argument 'y'${showUsage}`],
  ['things show x --sceret s', `unknown option '--sceret'\n(Did you mean --secret?)${showUsage}`],
  ['things show x --nothing', `unknown option '--nothing'${showUsage}`],
  ['things show x -x', `unknown option '-x'${showUsage}`],
  ['things show x --json=yes', `unknown option '--json=yes'`],
  ['things show x --secret', `option '--secret <SECRET>' argument missing${showUsage}`],
  ['things show x --secret --json', `option '--secret <SECRET>' argument missing${showUsage}`],
  ['things show x --secret wrong', `--secret must be another${showUsage}`],
])('`hookline %s` is wrong usage, and the answer says why and shows the usage', async (call, message) => {
  const refused = await run(...call.split(' ').filter((arg) => arg !== '')).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(CommandFailure);
  expect(refused).toMatchObject({ exitCode: 2 });
  expect((refused as CommandFailure).message).toContain(message);
  expect(own.stdout()).toBe('');
});

test('a value that begins with a dash is given with =, or is the value of the option before', async () => {
  await run('things', 'show', 'x', '--secret=--json');
  expect(runs.at(-1)).toMatchObject({ secret: '--json', json: false });
});

test('a failure of the verb itself comes through as it is', async () => {
  await expect(run('things', 'show', 'x', '--secret', 'refused')).rejects.toMatchObject({
    exitCode: 1,
    message: 'refused',
  });
});

describe('hookline', () => {
  const verbs = Object.entries(verbTable).flatMap(([name, entry]) =>
    'verbs' in entry ? Object.keys(entry.verbs).map((member) => [name, member]) : [[name]],
  );

  test('has the verbs that its README lists, and no other', () => {
    const readme = readFileSync(resolve(import.meta.dirname, '../../../services/cli/README.md'), 'utf8');
    const [, table = ''] = /^\| command \| does \|\n\|---\|---\|\n((?:\|.*\n)*)/m.exec(readme) ?? [];
    const listed = table.split('\n').flatMap((row) => {
      const cell = row.split('|')[1] ?? '';
      const calls = [...cell.matchAll(/`([a-z -]+?)(?: [<-].*?)?`/g)].map(([, words = '']) => words.split(' '));
      const group = (calls[0]?.length ?? 0) > 1 ? `${calls[0]?.[0]} ` : '';
      return calls.map((words) => `${group}${words.at(-1)}`);
    });
    expect(verbs.map((words) => words.join(' ')).sort()).toEqual(listed.sort());
  });

  test.each(verbs)('%s %s has help that begins with its usage, in lines that fit', async (...words) => {
    const call = words.filter((word) => typeof word === 'string');
    expect(await runCommand([...call, '--help'], own.context)).toBe(0);
    const printed = own.stdout();
    expect(printed).toMatch(new RegExp(`^usage: hookline ${call.join(' ')} \\[options\\]`));
    expect(Math.max(...printed.split('\n').map((line) => line.length))).toBeLessThanOrEqual(125);
  });

  test('prints its version', async () => {
    const { version } = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../../package.json'), 'utf8')) as {
      version: string;
    };
    for (const option of ['--version', '-V'])
      expect(await runHookline([option])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  test('says what is wrong on the standard error and exits 2, for people and for programs', async () => {
    expect(await spawnHookline(['sources', 'lits'])).toEqual({
      code: 2,
      stdout: '',
      stderr: "hookline: unknown command 'lits'\n(Did you mean list?)\nusage: hookline sources <command> [options]\n",
    });
    const { code, stdout, stderr } = await spawnHookline(['sources', 'show', 'a', 'b', '--json']);
    expect([code, stdout, JSON.parse(stderr)]).toEqual([
      2,
      '',
      { message: "unexpected argument 'b'\nusage: hookline sources show [options] <id>" },
    ]);
  });
});

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { verbTable } from '../../../services/cli/commands/table.ts';
import { runCommand } from '../../../services/cli/run-command.ts';
import type { Verb, VerbTable } from '../../../services/cli/verb.ts';
import { createOwnContext } from '../../support/own-context.ts';

const root = resolve(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const [text = '', notRunText = ''] = read('docs/runbook.md').split('\n## Commands that no test runs\n');

/** Which test runs each verb of the runbook, with the real command or what it starts. */
const runBy: Readonly<Record<string, string>> = {
  'api-keys create': 'test/integration/cli/api-keys.test.ts',
  'api-keys revoke': 'test/integration/cli/api-keys.test.ts',
  audit: 'test/integration/cli/who.test.ts',
  'deliveries attempts': 'test/integration/cli/deliveries.test.ts',
  'dlq cancel': 'test/integration/cli/dlq.test.ts',
  'dlq list': 'test/integration/cli/dlq.test.ts',
  'dlq replay': 'test/integration/cli/dlq.test.ts',
  'dlq show': 'test/integration/cli/dlq.test.ts',
  'endpoints disable': 'test/integration/cli/endpoints.test.ts',
  'endpoints enable': 'test/integration/cli/endpoints.test.ts',
  'endpoints recover': 'test/integration/cli/endpoints.test.ts',
  'endpoints rotate-secret': 'test/integration/cli/endpoints.test.ts',
  'endpoints show': 'test/integration/cli/endpoints.test.ts',
  'endpoints test': 'test/unit/cli/endpoint-test.test.ts',
  'events list': 'test/integration/cli/events.test.ts',
  'rebuild dedup': 'test/integration/cli/rebuild-dedup.test.ts',
  'rebuild waiting': 'test/integration/cli/rebuild-waiting.test.ts',
  'reseal-secrets': 'test/integration/cli/reseal-secrets.test.ts',
  setup: 'test/support/supervisor.ts',
  'sources rejections': 'test/integration/cli/sources.test.ts',
  'sources rotate-secret': 'test/integration/cli/sources.test.ts',
  'sources show': 'test/integration/cli/sources.test.ts',
  'sources update': 'test/integration/cli/sources.test.ts',
  'tenants list': 'test/integration/cli/who.test.ts',
  'tenants set': 'test/integration/cli/who.test.ts',
  verify: 'test/unit/cli/sign-and-verify.test.ts',
};

/** Command lines in code: within a line, or each line of a block. What follows `#` is a comment. */
function commandLines(programs: RegExp, within = text): string[] {
  const blocks = [...within.matchAll(/^ *```\w*\n(.*?)^ *```/gms)].flatMap(([, block = '']) => block.split('\n'));
  const spans = [...within.replace(/^ *```.*?^ *```/gms, '').matchAll(/`([^`]+)`/g)].map(([, span = '']) => span);
  return [...blocks, ...spans].map((line) => line.replace(/\s+#.*$/, '').trim()).filter((line) => programs.test(line));
}

/** As a shell would: quotes are for spaces. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, single, double, bare]) => single ?? double ?? bare ?? '');

const called: string[] = [];
/** The same verbs, which do nothing but say that they were found. */
const quiet = (table: VerbTable): VerbTable => {
  const stubbed = (name: string, verb: Verb): Verb => ({ ...verb, run: async () => (called.push(name), 0) });
  return Object.fromEntries(
    Object.entries(table).map(([name, entry]) => [
      name,
      'verbs' in entry
        ? {
            ...entry,
            verbs: Object.fromEntries(
              Object.entries(entry.verbs).map(([member, verb]) => [member, stubbed(`${name} ${member}`, verb)]),
            ),
          }
        : stubbed(name, entry),
    ]),
  );
};
const verbs = quiet(verbTable);

const inPods = /^kubectl -n hookline exec \S+ -- hookline /;
const calls = commandLines(/^\.\/hookline \S|^kubectl -n hookline exec \S+ -- hookline \S/)
  .map((line) => line.replace(inPods, './hookline '))
  // Shown as a prefix, for any command.
  .filter((line) => line !== './hookline …');
/** By the words before an option or a value. */
const verbOf = (line: string): string =>
  wordsOf(line)
    .slice(1, 'verbs' in (verbTable[wordsOf(line)[1] ?? ''] ?? {}) ? 3 : 2)
    .join(' ');

test('there are commands to look at', () => {
  expect(calls.length).toBeGreaterThan(30);
});

test.each([...new Set(calls)])('%s has a verb and options that there are', async (line) => {
  called.length = 0;
  const args = wordsOf(line).slice(1);
  // The argument of a verb may be left out where the text is about any: `./hookline endpoints recover`.
  const [first = '', second = ''] = args;
  const entry = verbTable[first];
  const verb = entry !== undefined && 'verbs' in entry ? entry.verbs[second] : entry;
  const isAboutAny = args.length === (entry !== undefined && 'verbs' in entry ? 2 : 1);
  const given = isAboutAny && verb?.argument !== undefined && !verb.isArgumentOptional ? [...args, '…'] : args;
  expect(
    await runCommand(
      given.filter((arg) => arg !== '--help'),
      createOwnContext().context,
      verbs,
    ),
  ).toBe(0);
  expect(called).toEqual([verbOf(line)]);
});

test('an option that there is not would be noticed', async () => {
  await expect(runCommand(['dlq', 'replay', '--dry', '--all'], createOwnContext().context, verbs)).rejects.toThrow(
    /unknown option '--dry'/,
  );
});

test('a test runs each verb, or the runbook says that none does', () => {
  const isMarked = (verb: string): boolean => notRunText.includes(`\`./hookline ${verb}\``);
  const verbsNamed = [...new Set(calls.map(verbOf))];
  expect(verbsNamed.filter((verb) => (runBy[verb] === undefined) !== isMarked(verb))).toEqual([]);
  expect(Object.keys(runBy).filter((verb) => !verbsNamed.includes(verb))).toEqual([]);
});

test.each(Object.entries(runBy))('%s is in %s', (verb, file) => {
  const said = read(file);
  const last = verb.split(' ').at(-1) ?? '';
  expect(said.includes(`'${last}'`)).toBe(true);
});

test('each line for another program is in the list of those that no test runs', () => {
  const others = /^(kubectl|psql|redis-cli|make|kafka-[a-z-]+\.sh|deploy\/\S+\.sh) /;
  const lines = commandLines(others).filter((line) => !inPods.test(`${line} `));
  expect(lines.length).toBeGreaterThan(8);
  const marked = commandLines(others, notRunText);
  const isMarked = (line: string): boolean => marked.some((beginning) => line.startsWith(beginning.replace(/ …$/, '')));
  expect(lines.filter((line) => !isMarked(line))).toEqual([]);
  const isNeeded = (beginning: string): boolean => lines.some((line) => line.startsWith(beginning.replace(/ …$/, '')));
  expect(marked.filter((beginning) => !isNeeded(beginning))).toEqual([]);
});

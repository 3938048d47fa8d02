/**
 * The titles of all tests at a commit, and those that a later tree has no longer: what a move of tests has lost.
 *
 *   node test/lanes/titles.ts                    the titles of the tree as it is
 *   node test/lanes/titles.ts --since COMMIT     how many there were and are, and each that is gone, with the file that it was in
 *
 * A title is read as it is written: a table's tests are one.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseSync, Visitor, type Expression } from 'oxc-parser';
import { root } from '#deploy/local/paths.ts';

interface Title {
  file: string;
  /** The titles of the groups around it first. */
  path: readonly string[];
}

const groups = new Set(['describe']);
const tests = new Set(['it', 'test']);

const { values } = parseArgs({ options: { since: { type: 'string' } } });
const now = titlesOf(listed(), (file) => readFileSync(join(root, file), 'utf8'));
if (values.since === undefined) {
  for (const { file, path } of now) console.log(`${file}: ${path.join(' › ')}`);
} else {
  const { since } = values;
  const before = titlesOf(listed(since), (file) => git('show', `${since}:${file}`));
  const gone = goneOf(before, now);
  console.log(`${before.length} titles at ${since}, ${now.length} now, ${gone.length} gone:`);
  for (const { file, path } of gone) console.log(`${file}: ${path.join(' › ')}`);
}

/** A title that is there under another group has moved. */
function goneOf(before: readonly Title[], after: readonly Title[]): readonly Title[] {
  const left = new Map<string, number>();
  for (const { path } of after) left.set(path.at(-1) ?? '', (left.get(path.at(-1) ?? '') ?? 0) + 1);
  return before.filter(({ path }) => {
    const title = path.at(-1) ?? '';
    const count = left.get(title) ?? 0;
    left.set(title, count - 1);
    return count <= 0;
  });
}

function listed(commit?: string): readonly string[] {
  const files =
    commit === undefined ? git('ls-files', '--', 'test') : git('ls-tree', '-r', '--name-only', commit, '--', 'test');
  return files.split('\n').filter((file) => file.endsWith('.ts'));
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 });
}

function titlesOf(files: readonly string[], textOf: (file: string) => string): readonly Title[] {
  return files.flatMap((file) => titlesIn(file, textOf(file)));
}

function titlesIn(file: string, text: string): readonly Title[] {
  const titles: Title[] = [];
  const around: { title: string; end: number }[] = [];
  new Visitor({
    CallExpression(call) {
      while ((around.at(-1)?.end ?? Infinity) <= call.start) around.pop();
      const name = nameOf(call.callee);
      const [first] = call.arguments;
      if (name === undefined || first === undefined || call.arguments.length < 2) return;
      const title = text.slice(first.start, first.end).replace(/^[`'"]|[`'"]$/g, '');
      if (groups.has(name)) around.push({ title, end: call.end });
      else titles.push({ file, path: [...around.map((group) => group.title), title] });
    },
  }).visit(parseSync(file, text).program);
  return titles;
}

/** `it`, `it.only` and `it.each(table)` are all called `it`. */
function nameOf(callee: Expression): string | undefined {
  if (callee.type === 'CallExpression') return nameOf(callee.callee);
  if (callee.type === 'MemberExpression') return nameOf(callee.object);
  if (callee.type === 'TaggedTemplateExpression') return nameOf(callee.tag);
  return callee.type === 'Identifier' && (groups.has(callee.name) || tests.has(callee.name)) ? callee.name : undefined;
}

import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parse } from 'yaml';
import { verbTable } from '../../../services/cli/commands/table.ts';
import { metricsOf } from '../../support/metrics-document.ts';
import { serviceNames } from '../../support/stack.ts';

const root = resolve(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const runbook = read('docs/runbook.md');
const documents = [
  { path: 'docs/runbook.md', text: runbook },
  { path: 'docs/scaling.md', text: read('docs/scaling.md') },
];

interface Rule {
  alert?: string;
  annotations?: { runbook_url?: string };
}

const alerts = globSync('deploy/prometheus/rules/*.yml', { cwd: root })
  .flatMap((path) => (parse(read(path)) as { groups: { rules: Rule[] }[] }).groups)
  .flatMap(({ rules }) => rules)
  .flatMap(({ alert, annotations }) => (alert === undefined ? [] : [{ alert, url: annotations?.runbook_url }]));

/** Third-level headings that are an alert’s name, each with what stands below it. */
const sections = runbook
  .split(/^#{2,3} /m)
  .slice(1)
  .map((section) => ({ heading: section.split('\n', 1)[0] ?? '', text: section }));
const alertSections = sections.filter(({ heading }) => /^Hookline[A-Z]\w+$/.test(heading));

/** As GitHub makes it of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
const anchorsIn = (text: string): string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => anchorOf(title));

test('there are alerts to look at', () => {
  expect(alerts.length).toBeGreaterThan(40);
});

test.each(alerts)('$alert leads to its own section of the runbook', ({ alert, url }) => {
  // Absolute where Prometheus has the external label `runbook_base`.
  const base = '{{ with $externalLabels.runbook_base }}{{ . }}{{ else }}docs/runbook.md{{ end }}';
  expect(url).toBe(`${base}#${anchorOf(alert)}`);
  expect(alertSections.filter(({ heading }) => heading === alert)).toHaveLength(1);
});

test('each section that is named after an alert has its alert', () => {
  const names = alerts.map(({ alert }) => alert);
  expect(alertSections.map(({ heading }) => heading).filter((heading) => !names.includes(heading))).toEqual([]);
});

test.each(alertSections)('$heading says what it means, what to look at and what to do', ({ text }) => {
  for (const part of ['Means', 'Look at', 'Do']) expect(text).toMatch(new RegExp(`^- \\*\\*${part}\\*\\*: \\S`, 'm'));
});

const known = new Set(
  serviceNames
    .flatMap(metricsOf)
    .flatMap(({ name, kind }): string[] => (kind === 'histogram' ? [name, `${name}_bucket`, `${name}_count`] : [name])),
);

describe.each(documents)('$path', ({ path, text }) => {
  test('names metrics that there are', () => {
    const names = [...text.matchAll(/\bhookline_[a-z0-9_]+/g)].map(([name]) => name);
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });

  test('names settings that there are', () => {
    const settings = new Set(read('.env.example').match(/\bHOOKLINE_[A-Z0-9_]+/g));
    const names = text.match(/\bHOOKLINE_[A-Z0-9_]+/g) ?? [];
    expect(names.filter((name) => !settings.has(name))).toEqual([]);
  });

  test('names commands of `hookline` that there are', () => {
    const calls = [...text.matchAll(/\.\/hookline ([a-z-]+)(?: ([a-z-]+))?/g)];
    const isThere = ([, first = '', second = '']: RegExpMatchArray): boolean => {
      const entry = Object.hasOwn(verbTable, first) ? verbTable[first] : undefined;
      return entry !== undefined && (!('verbs' in entry) || Object.hasOwn(entry.verbs, second));
    };
    expect(calls.filter((call) => !isThere(call)).map(([call]) => call)).toEqual([]);
  });

  test('names lines of the log that there are', () => {
    const code = globSync('{services,libs}/**/*.ts', { cwd: root }).map(read).join('\n');
    const names = [...text.matchAll(/log: ((?:`[a-z_]+\.[a-z_]+`(?:, )?)+)/g)].flatMap(([, list = '']) =>
      [...list.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
    );
    expect(names.filter((name) => !code.includes(`'${name}'`))).toEqual([]);
  });

  test('leads to files and headings that there are', () => {
    const links = [...text.matchAll(/\]\(((?!https?:)[^)]+)\)/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(0);
    const isDead = (link: string): boolean => {
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? path : join(dirname(path), file);
      if (!existsSync(join(root, target))) return true;
      return anchor !== undefined && !anchorsIn(read(target)).includes(anchor);
    };
    expect(links.filter(isDead)).toEqual([]);
  });
});

/** The table "A change and its place" of CONTRIBUTING.md: its files are there, and no other file repeats what the change is about. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deadLetterReasons, deliveryStatuses, sourceSchemes, topicNames } from '#lib/contract';

const root = join(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Change {
  name: string;
  /** Paths; `<name>` stands for any name. */
  files: string[];
}

const [, table = ''] =
  /^\| change \| files \| checked by \|\n\|[-|]+\n((?:\|.*\n)*)/m.exec(read('CONTRIBUTING.md')) ?? [];
const changes = table
  .trimEnd()
  .split('\n')
  .map((row): Change => {
    const [, name = '', files = ''] = row.split('|');
    return { name: name.trim(), files: [...files.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path) };
  });

const found = (path: string): string[] => globSync(path.replaceAll(/<\w+>/g, '*'), { cwd: root });

test.each(changes)('$name: six files at most, all of which are there', ({ files }) => {
  expect(files.length).toBeGreaterThan(0);
  expect(files.length).toBeLessThanOrEqual(6);
  expect(files.filter((path) => found(path).length === 0)).toEqual([]);
});

const code = '{services,libs,deploy}/**/*.{ts,js,sh,sql,avsc,yml,yaml,json,env,md}';
const documents = '{ARCHITECTURE.md,docs/*.md}';
/** Written by `npm run docs:write`, or records of decisions and measurements. */
const exempt = new Set(
  [
    'deploy/grafana/{dashboards/*.json,kustomization.yaml}',
    'deploy/k8s/{monitoring/rules,kafka/topics}.yaml',
    'docs/{errors,metrics,evidence,faults,soak,speed}.md',
  ].flatMap((path) => globSync(path, { cwd: root })),
);
const texts = new Map<string, string>();
/** Without the rows of settings tables, which are written too. */
function textOf(path: string): string {
  const text = texts.get(path) ?? read(path).replaceAll(/^\| `HOOKLINE_.*$/gm, '');
  texts.set(path, text);
  return text;
}

interface Repeated {
  /** The change's subject, as it stands in the files of the change. */
  pattern: RegExp;
  where: string[];
  /** Further files that may have it. */
  also?: string[];
}

const duration = '(\\d[\\d_.,]*|two|three|four|five|ten|twelve) ?(ms|s|seconds|h|hours|days)\\b';
const anyOf = (words: readonly string[]): string => words.map((word) => word.replaceAll(/[.*]/g, '\\$&')).join('|');
/** The formats of Hookline's own deliveries, and the one that is configured, have other uses. */
const providers = sourceSchemes.filter((scheme) => !['hookline', 'standard-webhooks', 'hmac'].includes(scheme));
const names = (path: string, pattern: RegExp): string[] =>
  globSync(path, { cwd: root }).flatMap((file) => [...read(file).matchAll(pattern)].map(([, name = '']) => name));

const statuses = anyOf(deliveryStatuses);

const repeated: Readonly<Record<string, Repeated>> = {
  'provider scheme': {
    pattern: new RegExp(`['"\`](${anyOf(providers)})['"\`]|\\b(shopify|square|paddle|twilio|adyen)\\b`, 'i'),
    where: ['{services,libs}/**/*.*'],
    also: ['libs/signatures/*.ts', 'services/console/{snippets/with-stripe.mjs,catalog/verify.ts}'],
  },
  alert: {
    pattern: new RegExp(`\\b(${anyOf(names('deploy/prometheus/rules/*.yml', /- alert: (\w+)/g))})\\b`),
    where: [code, documents],
    // It links each alert that it can tell itself to what to do.
    also: ['services/console/system/pages.ts'],
  },
  'default retry window': {
    pattern: new RegExp(
      `\\bwindow_seconds\\b["']?: *\\d|\\bretry window\\b.{0,60}\\b${duration}|\\bretr\\w+\\b.{0,30} for ${duration}`,
    ),
    where: [code, documents],
  },
  'endpoint setting': {
    pattern: /\bmax_in_flight\b/,
    where: [code],
    // A row of its own.
    also: ['services/console/endpoints/*.ts'],
  },
  'API route with its command': {
    pattern: new RegExp(`\\bid: '(${anyOf(names('libs/api-contract/*.ts', /^ {2}id: '(\w+)'/gm))})'`),
    where: [code],
  },
  'filter of events': {
    pattern: /\bsource_id\b/,
    where: [
      'services/api/{http,polling}/*.ts',
      'services/api/events/list.ts',
      'services/cli/commands/{events,find-events}.ts',
    ],
  },
  'delivery status': {
    // Lists of them; to ask for one is everybody's business.
    pattern: new RegExp(`\\b(${statuses}): \\{ isFinal|'(${statuses})'(\\)?, *|\\s*\\|\\s*)'(${statuses})'`),
    where: ['{services,libs}/**/*.ts'],
  },
  'dead-letter reason': {
    // `data_invalid` is a code of our errors, too.
    pattern: new RegExp(
      `\\b(${anyOf(Object.keys(deadLetterReasons).filter((reason) => reason !== 'data_invalid'))})\\b`,
    ),
    where: ['deploy/**/*.*'],
    // Written by `npm run docs:write`; scenarios.
    also: ['deploy/prometheus/rules/{delivering,processing}.yml', 'deploy/prometheus/tests/*.yml'],
  },
  'payload limit': {
    pattern: new RegExp(
      `\\bmaxPayload\\w+ = [^;]*1024\\b|\\b(payload|body)\\b.{0,60}\\b(of|most|to) [\\d,]+ (MiB|bytes)\\b`,
    ),
    where: [code, documents],
  },
  'session time-out': {
    pattern: new RegExp(
      `[sS]essionTimeoutMs\\b[^,;]{0,9}[:=] *\\d|\\bsession time-out\\b[^,;]{0,40}\\b${duration}|\\b${duration}.{0,20}\\bsession time-out\\b`,
    ),
    where: [code, documents],
  },
};

test('what is repeated is asked of changes that there are', () => {
  expect(Object.keys(repeated).filter((name) => !changes.some((change) => change.name === name))).toEqual([]);
});

describe.each(changes.filter(({ name }) => name in repeated))('$name', ({ name, files }) => {
  const { pattern, where, also = [] } = repeated[name] as Repeated;
  const own = new Set([...files, ...also].flatMap(found));

  test('stands in the files of the table', () => {
    expect([...own].filter((path) => pattern.test(textOf(path)))).not.toEqual([]);
  });

  test('stands in no other file', () => {
    const others = where
      .flatMap((path) => globSync(path, { cwd: root, exclude: ['**/node_modules/**'] }))
      .filter((path) => !own.has(path) && !exempt.has(path));
    const linesOf = (path: string): string[] =>
      textOf(path)
        .split('\n')
        .map((line, index) => (pattern.test(line) ? `${path}:${index + 1}: ${line.trim().slice(0, 120)}` : ''))
        .filter((line) => line !== '');
    expect(others.flatMap(linesOf)).toEqual([]);
  });
});

test('ARCHITECTURE.md has a row for each topic', () => {
  const [, rows = ''] = /^\| topic \| key \|.*\n\|[-|]+\n((?:\|.*\n)*)/m.exec(read('ARCHITECTURE.md')) ?? [];
  expect([...rows.matchAll(/^\| `([^`]+)`/gm)].map(([, topic]) => topic)).toEqual([...topicNames]);
});

import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** Where a document breaks a rule: `docs/speed.md:12: …`. */
type Problem = string;

/** Every document of the project. Decisions (docs/adr) tell their reader in their title; templates and the change log have a form of their own. */
const excluded = ['**/node_modules/**', '.hookline/**', '**/dist/**'];
const withoutReader = /^(docs\/adr\/|\.github\/|CHANGELOG\.md|CODE_OF_CONDUCT\.md|README\.md|SECURITY\.md)/;

export const documentsIn = (root: string): string[] => globSync('**/*.md', { cwd: root, exclude: excluded }).sort();

/** They tell what the house was then. */
const ofThePast = /^(docs\/adr\/|CHANGELOG\.md)/;

/** Links to files and headings, and names of our code, that are not there; and documents that don't say for whom they are. */
export function problemsOf(root: string, documents = documentsIn(root)): Problem[] {
  const anchors = new Map<string, ReadonlySet<string>>();
  const anchorsOf = (file: string): ReadonlySet<string> => {
    const known = anchors.get(file) ?? anchorsIn(readFileSync(join(root, file), 'utf8'));
    anchors.set(file, known);
    return known;
  };
  const leadsSomewhere = (document: string, link: string): boolean => {
    const [path = '', anchor] = decodeURI(link).split('#');
    const target = path === '' ? document : normalize(join(dirname(document), path));
    if (!existsSync(join(root, target))) return false;
    return anchor === undefined || !target.endsWith('.md') || anchorsOf(target).has(anchor);
  };
  const code = globSync('**/*.ts', { cwd: root, exclude: excluded });
  // By its path from the root, from its room, or by the end of its path.
  const isCode = (document: string, name: string): boolean =>
    existsSync(join(root, dirname(document), name)) || code.some((file) => `/${file}`.endsWith(`/${name}`));
  return documents.flatMap((document) => {
    const text = readFileSync(join(root, document), 'utf8');
    const dead = linksIn(text)
      .filter(({ link }) => !leadsSomewhere(document, link))
      .map(({ line, link }) => `${document}:${line}: nothing is at ${link}`);
    const unknown = (ofThePast.test(document) ? [] : codeNamedIn(text))
      .filter(({ link }) => !isCode(document, link))
      .map(({ line, link }) => `${document}:${line}: there is no ${link}`);
    return withoutReader.test(document) || saysForWhom(text)
      ? [...dead, ...unknown]
      : [`${document}:1: the first lines must say for whom the document is: "For operators: …"`, ...dead, ...unknown];
  });
}

const saysForWhom = (text: string): boolean => {
  const [, first = ''] = text.split('\n').filter((line) => line.trim() !== '');
  return first.startsWith('For ');
};

interface Link {
  line: number;
  link: string;
}

/** Links of Markdown, and of the HTML for pictures, to files of the project. */
function linksIn(text: string): Link[] {
  return proseLines(text).flatMap(({ line, words }) =>
    [...words.matchAll(/\]\(([^)\s]+)(?: "[^"]*")?\)|(?:src|srcset|href)="([^"]+)"/g)]
      .map(([, markdown, html]) => ({ line, link: markdown ?? html ?? '' }))
      .filter(({ link }) => !/^[a-z]+:/.test(link)),
  );
}

/** Files of TypeScript that are named as code; not patterns such as `<resource>.ts`. */
const codeNamedIn = (text: string): Link[] =>
  unfencedLines(text).flatMap(({ line, words }) =>
    [...words.matchAll(/`([\w./-]+\.ts)`/g)].map(([, link = '']) => ({ line, link })),
  );

/** As GitHub names headings: lower case, no punctuation, `-` for a space, and a number for one that comes again. */
function anchorsIn(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const { words } of proseLines(text)) {
    for (const [, id = ''] of words.matchAll(/<a (?:id|name)="([^"]+)">/g)) anchors.add(id);
    const heading = /^#+ (.+)$/.exec(words)?.[1];
    if (heading === undefined) continue;
    const name = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    let anchor = name;
    for (let again = 1; anchors.has(anchor); again += 1) anchor = `${name}-${again}`;
    anchors.add(anchor);
  }
  return anchors;
}

interface Line {
  line: number;
  words: string;
}

/** Code within a line is no prose, unless the line is a heading. */
const proseLines = (text: string): Line[] =>
  unfencedLines(text).map(({ line, words }) => ({
    line,
    words: words.startsWith('#') ? words : words.replace(/`[^`]*`/g, ''),
  }));

/** The lines outside of fenced code, with their numbers. */
function unfencedLines(text: string): Line[] {
  let fenced = false;
  return text.split('\n').flatMap((words, index) => {
    if (/^\s*(```|~~~)/.test(words)) fenced = !fenced;
    return fenced ? [] : [{ line: index + 1, words }];
  });
}

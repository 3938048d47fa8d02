import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** Where a document breaks a rule: `docs/speed.md:12: …`. */
type Problem = string;

/** Every document of the project. Decisions (docs/adr) tell their reader in their title; templates and the change log have a form of their own. */
const excluded = ['**/node_modules/**', '.hookline/**', '**/dist/**'];
const withoutReader = /^(docs\/adr\/|\.github\/|CHANGELOG\.md|CODE_OF_CONDUCT\.md|README\.md|SECURITY\.md)/;

export const documentsIn = (root: string): string[] => globSync('**/*.md', { cwd: root, exclude: excluded }).sort();

/** Links to files and headings that are not there, and documents that don't say for whom they are. */
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
  return documents.flatMap((document) => {
    const text = readFileSync(join(root, document), 'utf8');
    const dead = linksIn(text)
      .filter(({ link }) => !leadsSomewhere(document, link))
      .map(({ line, link }) => `${document}:${line}: nothing is at ${link}`);
    return withoutReader.test(document) || saysForWhom(text)
      ? dead
      : [`${document}:1: the first lines must say for whom the document is: "For operators: …"`, ...dead];
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

/** The lines outside of fenced code, with their numbers; code within a line is no prose either, unless the line is a heading. */
function proseLines(text: string): { line: number; words: string }[] {
  let fenced = false;
  return text.split('\n').flatMap((words, index) => {
    if (/^\s*(```|~~~)/.test(words)) fenced = !fenced;
    if (fenced) return [];
    return [{ line: index + 1, words: words.startsWith('#') ? words : words.replace(/`[^`]*`/g, '') }];
  });
}

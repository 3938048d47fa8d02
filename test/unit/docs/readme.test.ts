import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '#deploy/local/paths.ts';
import { missingLines, readBlocks } from '../../support/readme-blocks.ts';

const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** As the pages of GitHub name headings. */
const anchorsOf = (page: string): string[] =>
  [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

const pages = ['README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md', ...globSync('docs/*.md', { cwd: root })];

test.each(pages)('the links of %s lead to files and headings that there are', (page) => {
  const links = [...read(page).matchAll(/\]\(((?!https?:)[^)\s]+)\)/g)].map(([, link = '']) => link);
  const broken = links.filter((link) => {
    const [path = '', anchor] = link.split('#');
    const file = path === '' ? page : join(dirname(page), path);
    if (!existsSync(join(root, file))) return true;
    return anchor !== undefined && file.endsWith('.md') && !anchorsOf(read(file)).includes(anchor);
  });
  expect(broken).toEqual([]);
});

test('blocks are read with the output that is promised for them', () => {
  expect(readBlocks('```sh\na\nb\n```\n\n```text\nx … y\n\nz\n```\n\nwords\n\n```sh\nc\n```\n')).toEqual([
    { commands: 'a\nb', promised: ['x … y', 'z'] },
    { commands: 'c', promised: [] },
  ]);
});

test('a promised line is missing where no line of the output is left that matches it as a whole', () => {
  const promised = ['a … (c)', 'd'];
  expect(missingLines({ promised }, 'first\nd\n  a   b (c)\n')).toEqual([]);
  expect(missingLines({ promised: ['d', 'd'] }, 'd\na b (c)')).toEqual(['d']);
  expect(missingLines({ promised }, 'a b c\nd, and more')).toEqual(promised);
});

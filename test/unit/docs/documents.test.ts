import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { documentsIn, problemsOf } from '../../documents/problems.ts';

/** The check of the documents (`make lint` runs it over the real ones), shown what is wrong. */
describe('the check of the documents', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'hookline-documents-'));
    mkdirSync(join(root, 'docs'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const write = (file: string, text: string): void => writeFileSync(join(root, file), text);

  it('finds links to files and headings that are not there, of Markdown and of HTML', () => {
    write('docs/a.md', '# A\n\nFor readers.\n\n## What happens when …\n\n## Twice\n\n## Twice\n');
    write(
      'docs/b.md',
      [
        '# B\n\nFor readers: [a](a.md) [a](a.md#what-happens-when-) [second](a.md#twice-1) [self](#b) [up](../docs) [web](https://example.com/x#y)',
        '`[not a link](nowhere.md)`\n\n```\n[nor](this.md)\n# no heading\n```\n',
        '[gone](c.md) [no heading](a.md#no-heading) [third](a.md#twice-2) <img src="picture.png">',
      ].join('\n'),
    );
    expect(problemsOf(root)).toEqual([
      'docs/b.md:11: nothing is at c.md',
      'docs/b.md:11: nothing is at a.md#no-heading',
      'docs/b.md:11: nothing is at a.md#twice-2',
      'docs/b.md:11: nothing is at picture.png',
    ]);
  });

  it('finds names of code that is not there, but in what tells of the past', () => {
    mkdirSync(join(root, 'docs/adr'));
    mkdirSync(join(root, 'libs/kafka'), { recursive: true });
    write('libs/kafka/client.ts', '');
    const named = '`libs/kafka/client.ts`, `kafka/client.ts`, `client.ts`, `<name>.ts`, `nobody.ts`';
    write(
      'libs/kafka/README.md',
      `# Kafka\n\nFor developers: ${named}, \`./client.ts\`\n\n\`\`\`\n\`fenced.ts\`\n\`\`\`\n`,
    );
    write('docs/adr/0001-a.md', '# 1. A\n\n`nobody.ts`\n');
    expect(problemsOf(root)).toEqual(['libs/kafka/README.md:3: there is no nobody.ts']);
  });

  it('wants every document to say for whom it is, but those whose readers are known', () => {
    write('docs/a.md', '# A\n\nThis page is about a.\n');
    write('docs/b.md', '# B\n\nFor operators: b.\n');
    write('README.md', '# R\n\nHookline is …\n');
    expect(documentsIn(root)).toEqual(['README.md', 'docs/a.md', 'docs/b.md']);
    expect(problemsOf(root)).toEqual([expect.stringMatching(/^docs\/a\.md:1: the first lines must say for whom/)]);
  });
});

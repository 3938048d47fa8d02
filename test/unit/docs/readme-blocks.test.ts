import { missingLines, readBlocks } from '../../support/readme-blocks.ts';

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

import type { Command } from '../../../services/cli/command.ts';
import { createCommandGroup } from '../../../services/cli/command-group.ts';
import { hookline } from '../../../services/cli/commands/index.ts';
import { readOptions } from '../../../services/cli/options.ts';

const runs: (readonly string[])[] = [];
const show: Command = {
  help: 'usage: tool things show <id>\n\nShows.',
  run: async (args) => {
    readOptions(args, {}, ['id']);
    runs.push(args);
    return 7;
  },
};
const things = createCommandGroup('tool things', { show: { summary: 'shows', load: async () => show } });
const tool = createCommandGroup('tool', { things: { summary: 'of things', group: things } });

let printed: string;
beforeEach(() => {
  printed = '';
  runs.length = 0;
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => ((printed += String(text)), true));
});
afterEach(() => jest.restoreAllMocks());

test('runs the command that is named, with the rest of the arguments', async () => {
  expect(await tool.run(['things', 'show', 'x'])).toBe(7);
  expect(runs).toEqual([['x']]);
});

test.each([
  [['--help'], tool.help],
  [['help'], tool.help],
  [['-h'], tool.help],
  [['things', '--help'], things.help],
  [['things', 'show', '--help'], show.help],
  [['things', 'show', 'x', '-h'], show.help],
])('%j is answered with the help of what is asked for', async (args, help) => {
  expect(await tool.run(args)).toBe(0);
  expect(printed).toBe(`${help}\n`);
  expect(runs).toEqual([]);
});

test('behind `--`, --help is an argument like any other', async () => {
  expect(await tool.run(['things', 'show', '--', '--help'])).toBe(7);
});

test.each([
  [[], 'which command?'],
  [['thing'], 'there is no command `tool thing`'],
  [['things', 'constructor'], 'there is no command `tool things constructor`'],
  [['things', 'show'], '<id> is missing\nusage: tool things show <id>'],
])('%j is a wrong call', async (args, message) => {
  await expect(tool.run(args)).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringContaining(message) as string,
  });
});

test('every command of hookline has a help that begins with how it is called, in lines that fit', async () => {
  const groups = {
    sources: ['list', 'show', 'create', 'update', 'delete', 'rotate-secret', 'rejections'],
    endpoints: 'list show create update delete rotate-secret enable disable recover test'.split(' '),
    events: ['list', 'show', 'deliveries', 'tail'],
    deliveries: ['show', 'attempts', 'retry', 'cancel'],
    dlq: ['list', 'show', 'replay', 'cancel'],
    rebuild: ['waiting'],
  };
  const commands = [
    ...['send', 'sign', 'verify', 'listen', 'check-url', 'setup', 'reseal-secrets'],
    ...Object.entries(groups).flatMap(([group, members]) => members.map((member) => `${group} ${member}`)),
  ];
  for (const command of commands) {
    printed = '';
    expect(await hookline.run([...command.split(' '), '--help'])).toBe(0);
    expect(printed).toMatch(new RegExp(`^usage: hookline ${command}\\b`));
    expect(Math.max(...printed.split('\n').map((line) => line.length))).toBeLessThanOrEqual(125);
  }
});

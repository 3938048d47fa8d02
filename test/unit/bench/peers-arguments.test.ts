import { root } from '#deploy/local/paths.ts';
import { describeEstimate, estimateSeconds, estimateSecondsOfTrees } from '../../bench/peers/estimate.ts';
import { parseWanted } from '../../bench/peers/arguments.ts';
import { allSteps, parseSteps } from '../../bench/peers/steps.ts';

it('a step has its numbers in their order, and its own where none is given', () => {
  expect(parseSteps('at:250:20,closed,kill:500:20000,isolate')).toEqual([
    { kind: 'at', perSecond: 250, seconds: 20, endpoints: 1 },
    { kind: 'closed', endpoints: 1, seconds: 20 },
    { kind: 'kill', perSecond: 500, count: 20_000 },
    { kind: 'isolate', perSecond: 20, seconds: 45 },
  ]);
  expect(() => parseSteps(allSteps)).not.toThrow();
});

it.each([
  ['fan', 'there is no step fan; there are closed, at, search, third, isolate, kill, rest, memory'],
  ['at:fast', 'at:fast: perSecond must be above 0'],
  ['closed:5', 'closed:5: endpoints are 1 or 10'],
  ['rest:1:2:3', 'rest:1:2:3: rest takes afterSeconds:seconds'],
  ['memory:1', 'memory:1: memory takes no number'],
])('%s is refused, with what would do', (step, says) => {
  expect(() => parseSteps(step)).toThrow(says);
});

it('what is asked for comes in one order, and the line that repeats it is said', () => {
  const args = ['--only', 'hookline-webhooks,outpost', '--steps', 'at:100', '--turns', '3', '--record'];
  expect(parseWanted(args)).toEqual({
    systems: ['outpost', 'hookline-webhooks'],
    steps: [{ kind: 'at', perSecond: 100, seconds: 40, endpoints: 1 }],
    turns: 3,
    isRecorded: true,
    trees: undefined,
    again: "make bench-peers ARGS='--only outpost,hookline-webhooks --steps at:100 --turns 3'",
  });
});

it('a system that there is not, and turns that are no number, are refused', () => {
  expect(() => parseWanted(['--only', 'outpost,convoy'])).toThrow('there is no system convoy; there are outpost, svix');
  expect(() => parseWanted(['--turns', 'many'])).toThrow('--turns must be a whole number above 0');
  expect(() => parseWanted(['--step', 'at'])).toThrow();
});

describe('two checkouts', () => {
  it('are compared in five turns at a hundred a second, each of Hookline’s systems', () => {
    expect(parseWanted(['--trees', `${root},.`])).toMatchObject({
      trees: [root, process.cwd()],
      turns: 5,
      steps: [{ kind: 'at', perSecond: 100, seconds: 40 }],
      systems: ['hookline-webhooks', 'hookline-events', 'hookline-one-webhooks', 'hookline-one-events'],
    });
  });

  it('must be two, with their packages, and are not recorded', () => {
    expect(() => parseWanted(['--trees', root])).toThrow('--trees takes the folders of two checkouts');
    expect(() => parseWanted(['--trees', `${root},/nowhere`])).toThrow('/nowhere is no checkout of Hookline');
    expect(() => parseWanted(['--trees', `${root},${root}`, '--record'])).toThrow('not of --trees');
    expect(() => parseWanted(['--trees', `${root},${root}`, '--only', 'svix'])).toThrow('there is no system svix');
  });
});

describe('the estimate', () => {
  it('counts once what is measured once, and rest for Hookline alone', () => {
    const of = (isHookline: boolean, steps: string, turns: number): number =>
      estimateSeconds({ systemsOf: [{ isHookline, systems: 1 }], steps: parseSteps(steps), turns });
    const turn = of(true, 'at', 1);
    expect(of(true, 'at', 3)).toBe(3 * turn);
    expect(of(true, 'at,rest', 3)).toBe(3 * turn + 720);
    expect(of(false, 'at,rest', 3)).toBe(3 * turn);
    expect(of(true, 'kill', 3) - of(true, 'kill', 2)).toBe(of(true, 'at', 3) - of(true, 'at', 2) - 44);
  });

  it('is that of both checkouts, which rest at once', () => {
    const of = (steps: string): number =>
      estimateSecondsOfTrees({ systemsOf: [{ isHookline: true, systems: 1 }], steps: parseSteps(steps), turns: 5 });
    expect(of('at:100:40,rest:60:20') - of('at:100:40')).toBe(5 * 80);
    expect(of('at:100:50') - of('at:100:40')).toBe(5 * 2 * 10);
  });

  it('says when it will be over', () => {
    expect(describeEstimate(5_400, new Date('2026-01-02T23:00:00Z'))).toBe('about 1 h 30 min, until 00:30 UTC');
    expect(describeEstimate(600, new Date('2026-01-02T23:00:00Z'))).toBe('about 10 min, until 23:10 UTC');
  });
});

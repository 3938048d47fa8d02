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
  ['fan', 'there is no step fan; there are closed, at, search, third, isolate, kill, rest'],
  ['at:fast', 'at:fast: perSecond must be above 0'],
  ['closed:5', 'closed:5: endpoints are 1 or 10'],
  ['rest:1:2', 'rest:1:2: rest takes seconds'],
])('%s is refused, with what would do', (step, says) => {
  expect(() => parseSteps(step)).toThrow(says);
});

it('what is asked for comes in one order, and the line that repeats it is said', () => {
  const args = ['--only', 'hookline-webhooks,outpost', '--steps', 'at:100', '--turns', '3', '--record'];
  expect(parseWanted(args)).toEqual({
    systems: ['outpost', 'hookline-webhooks'],
    steps: [{ kind: 'at', perSecond: 100, seconds: 40, endpoints: 1 }],
    ...{ turns: 3, isRecorded: true },
    again: "make bench-peers ARGS='--only outpost,hookline-webhooks --steps at:100 --turns 3'",
  });
});

it('a system that there is not, and turns that are no number, are refused', () => {
  expect(() => parseWanted(['--only', 'outpost,convoy'])).toThrow('there is no system convoy; there are outpost, svix');
  expect(() => parseWanted(['--turns', 'many'])).toThrow('--turns must be a whole number above 0');
  expect(() => parseWanted(['--step', 'at'])).toThrow();
});

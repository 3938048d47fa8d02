/** The steps of a system, as `--steps` names them: `at:100:40,closed,kill:500:20000`. */

export type Step =
  /** 64 connections, each publishes the next when the last is acknowledged. */
  | { kind: 'closed'; endpoints: number; seconds: number }
  /** A fixed rate, whatever the outcomes. */
  | { kind: 'at'; perSecond: number; seconds: number; endpoints: number }
  /** The highest rate that is sustained, held for a minute. */
  | { kind: 'search'; endpoints: number }
  /** 0.3 of what the search found. */
  | { kind: 'third'; seconds: number }
  /** Ten endpoints, without and with the first hanging. */
  | { kind: 'isolate'; perSecond: number; seconds: number }
  /** SIGKILL of the system's own processes amid so many. */
  | { kind: 'kill'; perSecond: number; count: number }
  /** Processor time and memory of a software without traffic, so long after the last event. */
  | { kind: 'rest'; afterSeconds: number; seconds: number }
  /** Memory as the steps before have left it. */
  | { kind: 'memory' };

type StepKind = Step['kind'];

/** The numbers that may follow the name, in this order, with their defaults. */
const numbersOf = {
  closed: [
    ['endpoints', 1],
    ['seconds', 20],
  ],
  at: [
    ['perSecond', 100],
    ['seconds', 40],
    ['endpoints', 1],
  ],
  search: [['endpoints', 1]],
  third: [['seconds', 40]],
  isolate: [
    ['perSecond', 20],
    ['seconds', 45],
  ],
  kill: [
    ['perSecond', 500],
    ['count', 20_000],
  ],
  rest: [
    ['afterSeconds', 600],
    ['seconds', 120],
  ],
  memory: [],
} as const satisfies Record<StepKind, readonly (readonly [name: string, byDefault: number])[]>;

export const allSteps = 'at:100,at:20,closed,search,isolate,memory,kill,rest';
const mostEndpoints = 10;

/** @throws Error with the invalid step */
export const parseSteps = (text: string): Step[] => text.split(',').map(parseStep);

function parseStep(text: string): Step {
  const [kind = '', ...given] = text.split(':');
  if (!isStepKind(kind)) throw new Error(`there is no step ${kind}; there are ${Object.keys(numbersOf).join(', ')}`);
  const names: readonly (readonly [string, number])[] = numbersOf[kind];
  if (given.length > names.length)
    throw new Error(`${text}: ${kind} takes ${names.map(([name]) => name).join(':') || 'no number'}`);
  const numbers = names.map(([name, byDefault], index) => [name, Number(given[index] ?? byDefault)] as const);
  for (const [name, value] of numbers) {
    if (!(value > 0)) throw new Error(`${text}: ${name} must be above 0`);
    if (name === 'endpoints' && value !== 1 && value !== mostEndpoints)
      throw new Error(`${text}: endpoints are 1 or ${mostEndpoints}`);
  }
  return { kind, ...Object.fromEntries(numbers) } as Step;
}

/**
 * Which turns have the step: those whose figures vary are in each, the others in the first. `rest` is one of Hookline alone: ten minutes of a
 * peer would tell what is known of it already.
 */
export const isInEachTurn = ({ kind }: Step): boolean =>
  kind === 'at' || kind === 'closed' || kind === 'search' || kind === 'third';

const isStepKind = (kind: string): kind is StepKind => Object.hasOwn(numbersOf, kind);

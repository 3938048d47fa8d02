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
  | { kind: 'rest'; seconds: number };

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
  rest: [['seconds', 60]],
} as const satisfies Record<StepKind, readonly (readonly [name: string, byDefault: number])[]>;

export const allSteps = 'rest,at:100,at:100:40:10,closed,closed:10,search,third,isolate,kill';
const mostEndpoints = 10;

/** @throws Error with the invalid step */
export const parseSteps = (text: string): Step[] => text.split(',').map(parseStep);

function parseStep(text: string): Step {
  const [kind = '', ...given] = text.split(':');
  if (!isStepKind(kind)) throw new Error(`there is no step ${kind}; there are ${Object.keys(numbersOf).join(', ')}`);
  const names: readonly (readonly [string, number])[] = numbersOf[kind];
  if (given.length > names.length) throw new Error(`${text}: ${kind} takes ${names.map(([name]) => name).join(':')}`);
  const numbers = names.map(([name, byDefault], index) => [name, Number(given[index] ?? byDefault)] as const);
  for (const [name, value] of numbers) {
    if (!(value > 0)) throw new Error(`${text}: ${name} must be above 0`);
    if (name === 'endpoints' && value !== 1 && value !== mostEndpoints)
      throw new Error(`${text}: endpoints are 1 or ${mostEndpoints}`);
  }
  return { kind, ...Object.fromEntries(numbers) } as Step;
}

const isStepKind = (kind: string): kind is StepKind => Object.hasOwn(numbersOf, kind);

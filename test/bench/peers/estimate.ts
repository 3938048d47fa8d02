import { isInEachTurn, type Step } from './steps.ts';

/** To start a software with its stores, make its tenants, and stop it. */
const secondsOfStart = 60;
const secondsOfWarmUp = 40;
/** Until a usual run's last event has arrived. */
const secondsOfDrain = 4;
/** Events that 64 connections have left behind. */
const secondsOfLongDrain = 15;
/** Probes and holds until a rate is found. */
const secondsOfSearch = 180;
const secondsAfterKill = 60;

interface Plan {
  /** How many systems each software that is measured has. */
  systemsOf: readonly { isHookline: boolean; systems: number }[];
  steps: readonly Step[];
  turns: number;
}

/** How long a comparison takes, roughly. */
export function estimateSeconds({ systemsOf, steps, turns }: Plan): number {
  const inTurn = sumOf(steps.filter(isInEachTurn).map(secondsOf));
  const once = sumOf(steps.filter((step) => !isInEachTurn(step) && step.kind !== 'rest').map(secondsOf));
  const resting = sumOf(steps.filter(({ kind }) => kind === 'rest').map(secondsOf));
  return sumOf(
    systemsOf.map(
      ({ isHookline, systems }) =>
        turns * (secondsOfStart + systems * (secondsOfWarmUp + inTurn)) + systems * once + (isHookline ? resting : 0),
    ),
  );
}

/** Two checkouts take every step in each turn, and rest at once. */
export const estimateSecondsOfTrees = ({ systemsOf, steps, turns }: Plan): number =>
  sumOf(
    systemsOf.map(
      ({ systems }) =>
        2 * secondsOfStart +
        systems *
          (2 * secondsOfWarmUp + turns * sumOf(steps.map((step) => secondsOf(step) * (step.kind === 'rest' ? 1 : 2)))),
    ),
  );

export function describeEstimate(seconds: number, now: Date): string {
  const minutes = Math.round(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const length = hours === 0 ? `${minutes} min` : `${hours} h ${minutes % 60} min`;
  return `about ${length}, until ${new Date(now.getTime() + seconds * 1_000).toISOString().slice(11, 16)} UTC`;
}

function secondsOf(step: Step): number {
  switch (step.kind) {
    case 'at':
    case 'third':
      return step.seconds + secondsOfDrain;
    case 'closed':
      return step.seconds + secondsOfLongDrain;
    case 'search':
      return secondsOfSearch;
    case 'isolate':
      return 2 * step.seconds + secondsOfDrain + secondsOfLongDrain;
    case 'kill':
      return step.count / step.perSecond + secondsAfterKill;
    case 'rest':
      return step.afterSeconds + step.seconds;
    case 'memory':
      return 0;
  }
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, each) => sum + each, 0);

import type { StepResult } from './run-step.ts';
import type { Step } from './steps.ts';
import type { Traffic } from './traffic/traffic.ts';

/** Runs of a system that were over before everything that they had acknowledged was there. */
export interface Unsettled {
  step: Step['kind'];
  run: string;
  count: number;
}

export interface Settled {
  step: Step['kind'];
  count: number;
}

/** For what runs have left outstanding: a retry may be minutes away. */
const lastWaitMs = 600_000;

export const unsettledOf = (step: Step, { unsettled }: StepResult): Unsettled[] =>
  unsettled.map((each) => ({ step: step.kind, ...each }));

/** Waits for what these runs have left outstanding. @returns what has not come even then, and what came after the end of its run */
export async function settle(
  traffic: Traffic,
  unsettled: readonly Unsettled[],
): Promise<{ lost: Settled[]; late: Settled[] }> {
  if (unsettled.length === 0) return { lost: [], late: [] };
  const outstanding = await traffic.settle({ atMostMs: lastWaitMs, idleMs: lastWaitMs });
  const all = unsettled.map(({ step, run, count }) => ({ step, count, lost: outstanding[run] ?? 0 }));
  return {
    lost: all.filter(({ lost }) => lost > 0).map(({ step, lost }) => ({ step, count: lost })),
    late: all.filter(({ count, lost }) => count > lost).map(({ step, count, lost }) => ({ step, count: count - lost })),
  };
}

import type { Figure } from '../support/figure.ts';
import type { Finding } from './findings.ts';
import { holdSystem, stopHeld } from './held-system.ts';
import type { Subject } from './measure-run.ts';
import { type Known, runStep, type StepResult } from './run-step.ts';
import { settle, type Unsettled, unsettledOf } from './settle.ts';
import type { Step } from './steps.ts';
import type { Software, SystemName } from './systems/system.ts';
import { startTraffic } from './traffic/traffic.ts';
import { warmUp } from './warm-up.ts';

/** The same software of two checkouts: what a change is compared with, and the change. */
export type Pair = readonly [before: Software, after: Software];

interface Options {
  pairs: readonly Pair[];
  systems: readonly SystemName[];
  steps: readonly Step[];
  turns: number;
  say(line: string): void;
}

export interface TreeComparison {
  /** Values of the checkout with the change, each beside the other's of the same turn. */
  figures: Figure[];
  /** Acknowledged events that did not arrive, in sentences. */
  lost: string[];
  /** Cores used by others than the measured stack, at most in a run: the other stack at rest among them. */
  othersCores: number;
}

interface Row {
  finding: Finding;
  values: [before: number[], after: number[]];
}
type Rows = Map<string, Row>;

/**
 * Two checkouts of Hookline in interleaved turns, on stacks that both stay up: what the machine does differently from minute to minute
 * meets both. Each has servers and an idle cost of its own, which the other bears. Every second turn begins with the other one.
 */
export async function compareTrees({ pairs, systems, steps, turns, say }: Options): Promise<TreeComparison> {
  const comparison: TreeComparison = { figures: [], lost: [], othersCores: 0 };
  for (const pair of pairs) {
    const wanted = pair[0].systems.filter((name) => systems.includes(name));
    if (wanted.length > 0) await comparePair(pair, wanted, comparison, { steps, turns, say });
  }
  return comparison;
}

type PairOptions = Pick<Options, 'steps' | 'turns' | 'say'>;

async function comparePair(
  pair: Pair,
  systems: readonly SystemName[],
  comparison: TreeComparison,
  options: PairOptions,
): Promise<void> {
  const traffic = await startTraffic();
  try {
    const held = [];
    for (const software of pair) {
      options.say(`${software.name} is started`);
      held.push(await holdSystem(software, { receiverPorts: traffic.ports, say: options.say }));
    }
    const subjects = held.map(({ running }, index): Subject => {
      const say = (line: string): void => options.say(`${pair[index]?.name}: ${line}`);
      return { name: systems[0] ?? 'hookline-webhooks', running, traffic, say };
    });
    for (const name of systems) await compareSystem(name, subjects, comparison, options);
    for (const each of held) await each.stop();
  } catch (error) {
    for (const software of pair) {
      const logs = await stopHeld(software);
      if (logs !== undefined) options.say(`${software.name}: logs are kept in ${logs}`);
    }
    throw error;
  } finally {
    traffic.stop();
  }
}

async function compareSystem(
  name: SystemName,
  subjects: readonly Subject[],
  comparison: TreeComparison,
  { steps, turns, say }: PairOptions,
): Promise<void> {
  const sides = subjects.map((subject, index) => ({
    index,
    subject: { ...subject, name },
    unsettled: [] as Unsettled[],
    known: { arrivals: {}, sustained: undefined } as Known,
  }));
  const rows: Rows = new Map();
  for (const { subject } of sides) await warmUp(subject);
  for (let turn = 1; turn <= turns; turn += 1) {
    say(`${name}: turn ${turn} of ${turns}`);
    const inOrder = turn % 2 === 1 ? sides : sides.toReversed();
    for (const step of steps) {
      // Both rest at once.
      const results =
        step.kind === 'rest'
          ? await Promise.all(inOrder.map(({ subject, known }) => runStep(step, subject, known)))
          : [];
      for (const [position, side] of inOrder.entries()) {
        const result = results[position] ?? (await runStep(step, side.subject, side.known));
        note(rows, side.index, result);
        side.unsettled.push(...unsettledOf(step, result));
        comparison.othersCores = Math.max(comparison.othersCores, result.othersCores);
      }
    }
  }
  comparison.figures.push(...[...rows.values()].map((row) => figureOf(name, row)));
  for (const { subject, unsettled } of sides) {
    const { lost, late } = await settle(subject.traffic, unsettled);
    for (const { step, count } of late) subject.say(`${step}: ${count} arrived after their run was over`);
    comparison.lost.push(...lost.map(({ step, count }) => `${name}, ${step}: ${count} acknowledged, and lost`));
  }
}

function note(rows: Rows, index: number, { findings, byProcess }: StepResult): void {
  for (const finding of [...findings, ...byProcess]) {
    const row: Row = rows.get(finding.name) ?? { finding, values: [[], []] };
    rows.set(finding.name, row);
    row.values[index === 0 ? 0 : 1].push(finding.value);
  }
}

const figureOf = (system: SystemName, { finding: { name, unit }, values: [before, after] }: Row): Figure => ({
  name: `${system}: ${name}`,
  unit,
  values: after,
  ceiling: { name: 'before', values: before },
});

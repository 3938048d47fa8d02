import { holdSystem, stopHeld } from './held-system.ts';
import type { Subject } from './measure-run.ts';
import { type Known, runStep, type StepResult } from './run-step.ts';
import { settle, type Settled, type Unsettled, unsettledOf } from './settle.ts';
import { createSheet, type Sheet } from './sheet.ts';
import { isInEachTurn, type Step } from './steps.ts';
import { type Facts, isHookline, type Software, type SystemName } from './systems/system.ts';
import { startTraffic } from './traffic/traffic.ts';
import { warmUp } from './warm-up.ts';

interface Options {
  software: readonly Software[];
  systems: readonly SystemName[];
  steps: readonly Step[];
  turns: number;
  say(line: string): void;
}

export interface Comparison {
  sheet: Sheet;
  /** Facts about the measured systems. */
  facts: Facts[];
  /** Requested measurements that were not made, and why. */
  notMeasured: string[];
  /** Events that a system acknowledged and that did not arrive before its last step had ended and ten minutes more, except after a kill. */
  lost: Missing[];
  /** Events that came after the end of their own run. */
  late: Missing[];
  /** Cores used by others on this machine, at most in a run. */
  othersCores: number;
}

interface Missing extends Settled {
  system: SystemName;
}

/** One software after the other, turn by turn; each is there for its own steps alone. */
export async function compareSystems({ software, systems, steps, turns, say }: Options): Promise<Comparison> {
  const wanted = software.filter((each) => each.systems.some((name) => systems.includes(name)));
  const notMeasured = wanted.flatMap((each) => each.trouble() ?? []);
  for (const line of notMeasured) say(line);
  const measurable = wanted.filter((each) => each.trouble() === undefined);
  const comparison: Comparison = { sheet: createSheet(), facts: [], notMeasured, lost: [], late: [], othersCores: 0 };
  for (const each of measurable) comparison.facts.push(await each.facts());
  for (let turn = 1; turn <= turns; turn += 1) {
    for (const each of measurable) {
      say(`turn ${turn} of ${turns}: ${each.name} is started`);
      const ofTurn = steps.filter((step) => turn === 1 || isInEachTurn(step));
      await measureSoftware(each, comparison, { systems, steps: ofTurn, say });
    }
  }
  return comparison;
}

type TurnOptions = Pick<Options, 'systems' | 'steps' | 'say'>;

async function measureSoftware(software: Software, comparison: Comparison, options: TurnOptions): Promise<void> {
  const traffic = await startTraffic();
  try {
    const held = await holdSystem(software, { receiverPorts: traffic.ports, say: options.say });
    const names = software.systems.filter((each) => options.systems.includes(each));
    const subjects = names.map((name): Subject => ({ name, running: held.running, traffic, say: options.say }));
    for (const subject of subjects) await measureSystem(subject, comparison, options);
    if (isHookline(software)) await measureAtRest(subjects, comparison, options);
    await held.stop();
  } catch (error) {
    const logs = await stopHeld(software);
    if (logs !== undefined) options.say(`${software.name}: logs are kept in ${logs}`);
    throw error;
  } finally {
    traffic.stop();
  }
}

async function measureSystem(subject: Subject, comparison: Comparison, { steps, say }: TurnOptions): Promise<void> {
  const { name, traffic } = subject;
  await warmUp(subject);
  const known: Known = { arrivals: {}, sustained: undefined };
  const unsettled: Unsettled[] = [];
  for (const step of steps.filter(({ kind }) => kind !== 'rest')) {
    const result = await runStep(step, subject, known);
    unsettled.push(...unsettledOf(step, result));
    add(comparison, name, result);
  }
  if (unsettled.length > 0) say(`${name}: waiting for events that had not arrived when their runs were over`);
  const { lost, late } = await settle(traffic, unsettled);
  comparison.lost.push(...lost.map((each) => ({ system: name, ...each })));
  comparison.late.push(...late.map((each) => ({ system: name, ...each })));
}

/** Once for a software: its systems rest together. */
async function measureAtRest(
  subjects: readonly Subject[],
  comparison: Comparison,
  { steps, say }: TurnOptions,
): Promise<void> {
  const [first] = subjects;
  for (const step of steps.filter(({ kind }) => kind === 'rest')) {
    if (first === undefined) return;
    say(`${subjects.map(({ name }) => name).join(' and ')}: no more events`);
    const result = await runStep(step, first, { arrivals: {}, sustained: undefined });
    for (const { name } of subjects) add(comparison, name, result);
  }
}

function add(comparison: Comparison, name: SystemName, { findings, othersCores }: StepResult): void {
  comparison.sheet.add(name, findings);
  comparison.othersCores = Math.max(comparison.othersCores, othersCores);
}

import { holdSystem, stopHeld } from './held-system.ts';
import { type Known, runStep } from './run-step.ts';
import { createSheet, type Sheet } from './sheet.ts';
import type { Step } from './steps.ts';
import type { Facts, Software, SystemName } from './systems/system.ts';
import { startTraffic, type Traffic } from './traffic/traffic.ts';

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

interface Missing {
  system: SystemName;
  step: Step['kind'];
  count: number;
}

const warmUpSeconds = 5;
/** For what runs have left outstanding: a retry may be minutes away. */
const lastWaitMs = 600_000;

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
      await measureSoftware(each, comparison, { systems, steps, say });
    }
  }
  return comparison;
}

type TurnOptions = Pick<Options, 'systems' | 'steps' | 'say'>;

async function measureSoftware(software: Software, comparison: Comparison, options: TurnOptions): Promise<void> {
  const traffic = await startTraffic();
  try {
    const held = await holdSystem(software, { receiverPorts: traffic.ports, say: options.say });
    for (const name of software.systems.filter((each) => options.systems.includes(each)))
      await measureSystem(name, { traffic, running: held.running }, comparison, options);
    await held.stop();
  } catch (error) {
    const logs = await stopHeld(software);
    if (logs !== undefined) options.say(`${software.name}: logs are kept in ${logs}`);
    throw error;
  } finally {
    traffic.stop();
  }
}

async function measureSystem(
  name: SystemName,
  parts: { traffic: Traffic; running: Awaited<ReturnType<typeof holdSystem>>['running'] },
  comparison: Comparison,
  { steps, say }: TurnOptions,
): Promise<void> {
  const subject = { name, ...parts, say };
  const known: Known = { arrivals: {}, sustained: undefined };
  await runStep({ kind: 'closed', endpoints: 1, seconds: warmUpSeconds }, { ...subject, say: () => undefined }, known);
  known.arrivals = {};
  const unsettled: { step: Step['kind']; run: string; count: number }[] = [];
  for (const step of steps) {
    const { findings, unsettled: ofStep, othersCores } = await runStep(step, subject, known);
    unsettled.push(...ofStep.map((each) => ({ step: step.kind, ...each })));
    comparison.sheet.add(name, findings);
    comparison.othersCores = Math.max(comparison.othersCores, othersCores);
  }
  if (unsettled.length === 0) return;
  say(`${name}: waiting for events that had not arrived when their runs were over`);
  const outstanding = await parts.traffic.settle({ atMostMs: lastWaitMs, idleMs: lastWaitMs });
  for (const { step, run, count } of unsettled) {
    const lost = outstanding[run] ?? 0;
    if (lost > 0) comparison.lost.push({ system: name, step, count: lost });
    if (count > lost) comparison.late.push({ system: name, step, count: count - lost });
  }
}

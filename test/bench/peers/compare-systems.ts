import { holdSystem, stopHeld } from './held-system.ts';
import type { Subject } from './measure-run.ts';
import { type Known, runStep, type StepResult } from './run-step.ts';
import { settle, type Settled, type Unsettled, unsettledOf } from './settle.ts';
import type { Finding } from './findings.ts';
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
  /** Kept by a run of the same that was interrupted. */
  parts: { done: readonly MeasuredPart[]; keep(part: MeasuredPart): void };
  say(line: string): void;
}

/** The figures of one software in one turn. */
export interface MeasuredPart {
  turn: number;
  software: string;
  found: { system: SystemName; findings: readonly Finding[] }[];
  /** Events that a system acknowledged and that did not arrive before its last step had ended and ten minutes more, except after a kill. */
  lost: Missing[];
  /** Events that came after the end of their own run. */
  late: Missing[];
  /** Cores used by others on this machine, at most in a run. */
  othersCores: number;
}

export interface Comparison extends Pick<MeasuredPart, 'lost' | 'late' | 'othersCores'> {
  sheet: Sheet;
  /** Facts about the measured systems. */
  facts: Facts[];
  /** Requested measurements that were not made, and why. */
  notMeasured: string[];
}

interface Missing extends Settled {
  system: SystemName;
}

/** One software after the other, turn by turn; each is there for its own steps alone. */
export async function compareSystems(options: Options): Promise<Comparison> {
  const { software, systems, steps, turns, parts, say } = options;
  const wanted = software.filter((each) => each.systems.some((name) => systems.includes(name)));
  const notMeasured = wanted.flatMap((each) => each.trouble() ?? []);
  for (const line of notMeasured) say(line);
  const measurable = wanted.filter((each) => each.trouble() === undefined);
  const facts: Facts[] = [];
  for (const each of measurable) facts.push(await each.facts());
  const measured: MeasuredPart[] = [];
  for (let turn = 1; turn <= turns; turn += 1) {
    for (const each of measurable) {
      const before = parts.done.find((part) => part.turn === turn && part.software === each.name);
      say(`turn ${turn} of ${turns}: ${each.name} ${before === undefined ? 'is started' : 'was measured before'}`);
      const ofTurn = steps.filter((step) => turn === 1 || isInEachTurn(step));
      const part = before ?? (await measureSoftware(each, turn, { systems, steps: ofTurn, say }));
      if (before === undefined) parts.keep(part);
      measured.push(part);
    }
  }
  return { ...assemble(measured), facts, notMeasured };
}

function assemble(parts: readonly MeasuredPart[]): Omit<Comparison, 'facts' | 'notMeasured'> {
  const sheet = createSheet();
  for (const { found } of parts) for (const { system, findings } of found) sheet.add(system, findings);
  return {
    sheet,
    lost: parts.flatMap(({ lost }) => lost),
    late: parts.flatMap(({ late }) => late),
    othersCores: Math.max(0, ...parts.map(({ othersCores }) => othersCores)),
  };
}

type TurnOptions = Pick<Options, 'systems' | 'steps' | 'say'>;

async function measureSoftware(software: Software, turn: number, options: TurnOptions): Promise<MeasuredPart> {
  const part: MeasuredPart = { turn, software: software.name, found: [], lost: [], late: [], othersCores: 0 };
  const traffic = await startTraffic();
  try {
    const held = await holdSystem(software, { receiverPorts: traffic.ports, say: options.say });
    const names = software.systems.filter((each) => options.systems.includes(each));
    const subjects = names.map((name): Subject => ({ name, running: held.running, traffic, say: options.say }));
    for (const subject of subjects) await measureSystem(subject, part, options);
    if (isHookline(software)) await measureAtRest(subjects, part, options);
    await held.stop();
    return part;
  } catch (error) {
    const logs = await stopHeld(software);
    if (logs !== undefined) options.say(`${software.name}: logs are kept in ${logs}`);
    throw error;
  } finally {
    traffic.stop();
  }
}

async function measureSystem(subject: Subject, part: MeasuredPart, { steps, say }: TurnOptions): Promise<void> {
  const { name, traffic } = subject;
  await warmUp(subject);
  const known: Known = { arrivals: {}, sustained: undefined };
  const unsettled: Unsettled[] = [];
  for (const step of steps.filter(({ kind }) => kind !== 'rest')) {
    const result = await runStep(step, subject, known);
    unsettled.push(...unsettledOf(step, result));
    add(part, name, result);
  }
  if (unsettled.length > 0) say(`${name}: waiting for events that had not arrived when their runs were over`);
  const { lost, late } = await settle(traffic, unsettled);
  part.lost.push(...lost.map((each) => ({ system: name, ...each })));
  part.late.push(...late.map((each) => ({ system: name, ...each })));
}

/** Once for a software: its systems rest together. */
async function measureAtRest(
  subjects: readonly Subject[],
  part: MeasuredPart,
  { steps, say }: TurnOptions,
): Promise<void> {
  const [first] = subjects;
  for (const step of steps.filter(({ kind }) => kind === 'rest')) {
    if (first === undefined) return;
    say(`${subjects.map(({ name }) => name).join(' and ')}: no more events`);
    const result = await runStep(step, first, { arrivals: {}, sustained: undefined });
    for (const { name } of subjects) add(part, name, result);
  }
}

function add(part: MeasuredPart, system: SystemName, { findings, othersCores }: StepResult): void {
  part.found.push({ system, findings });
  part.othersCores = Math.max(part.othersCores, othersCores);
}

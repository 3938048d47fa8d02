import { setTimeout as delay } from 'node:timers/promises';
import { readAccounts, readMemory, spentBetween } from './accounts.ts';
import { type Finding, findings, findingsByProcess } from './findings.ts';
import { type MeasuredRun, measureRun, type RunPlan, type Subject } from './measure-run.ts';
import { searchRate } from './search-rate.ts';
import type { Step } from './steps.ts';
import type { Endpoints } from './systems/system.ts';

/** Results that later steps of a system begin from. */
export interface Known {
  /** Events a second that arrive when as many are published as are taken; by the number of endpoints. */
  arrivals: Partial<Record<Endpoints, number>>;
  /** The rate that a search has found with one endpoint. */
  sustained: number | undefined;
}

export interface StepResult {
  findings: Finding[];
  /** Costs by process. */
  byProcess: Finding[];
  /** Runs that were over before all they had acknowledged was there; it may still come. None where processes are killed: the findings say it. */
  unsettled: { run: string; count: number }[];
  othersCores: number;
}

const probeSeconds = 12;
const holdSeconds = 60;
const longDrain = { atMostMs: 240_000, idleMs: 30_000 };
/** Limits for systems that wait for the end of leases and group sessions. */
const drainAfterKill = { atMostMs: 240_000, idleMs: 150_000 };
const hangsForMs = 30_000;
const thirdShare = 0.3;

export async function runStep(step: Step, subject: Subject, known: Known): Promise<StepResult> {
  switch (step.kind) {
    case 'rest':
      return rest(subject, step);
    case 'memory':
      return memory(subject);
    case 'closed':
      return closed(subject, known, step.endpoints as Endpoints, step.seconds);
    case 'at': {
      const { perSecond, seconds } = step;
      const endpoints = step.endpoints as Endpoints;
      const run = await measureRun(subject, { label: `at ${perSecond}`, ...open(perSecond, seconds, endpoints) });
      return resultOf(
        [run],
        findings.atRate(run, `at ${perSecond} a second`, endpoints),
        findingsByProcess.cost(run, `at ${perSecond} a second`),
      );
    }
    case 'search':
      return search(subject, known, step.endpoints as Endpoints);
    case 'third': {
      if (known.sustained === undefined) return skipped(subject, 'third: nothing was found to be sustained');
      const perSecond = Math.max(1, Math.round(thirdShare * known.sustained));
      const run = await measureRun(subject, { label: `third, ${perSecond}`, ...open(perSecond, step.seconds, 1) });
      return resultOf([run], findings.atRate(run, `at ${thirdShare} of what it sustains`, 1));
    }
    case 'isolate': {
      const plan = open(step.perSecond, step.seconds, 10);
      const without = await measureRun(subject, { label: 'none hangs', ...plan });
      const hanging = await measureRun(subject, { label: 'one of ten hangs', ...plan, hangsForMs });
      return resultOf([without, hanging], findings.isolation(without, hanging, step.perSecond));
    }
    case 'kill': {
      const { perSecond, count } = step;
      const pace = { kind: 'open', perSecond, count } as const;
      const plan = { label: 'killed', pace, endpoints: 1, drain: drainAfterKill, isKilled: true } as const;
      const run = await measureRun(subject, plan);
      return { ...resultOf([], findings.kill(run, count)), unsettled: [] };
    }
  }
}

async function closed(subject: Subject, known: Known, endpoints: Endpoints, seconds: number): Promise<StepResult> {
  const pace = { kind: 'closed', seconds } as const;
  const run = await measureRun(subject, { label: 'as fast as it goes', pace, endpoints, drain: longDrain });
  known.arrivals[endpoints] = arrivalsPerSecond(run) / endpoints;
  return resultOf([run], findings.closed(run, endpoints), findingsByProcess.cost(run, '64 connections'));
}

/** Arrivals meanwhile; for events published one after the other, those after draining if that is more. */
function arrivalsPerSecond({ record, reconciled }: MeasuredRun): number {
  const seconds = record.publishedMs / 1_000;
  const drainSeconds = (record.drainedMs - record.publishedMs) / 1_000;
  return Math.max(record.atPublished.arrived / seconds, reconciled.arrived / (seconds + drainSeconds));
}

async function search(subject: Subject, known: Known, endpoints: Endpoints): Promise<StepResult> {
  if (known.arrivals[endpoints] === undefined) await closed(subject, known, endpoints, probeSeconds);
  const runs: MeasuredRun[] = [];
  const isSustained = async (perSecond: number, seconds: number): Promise<boolean> => {
    const label = `${perSecond} for ${seconds} s`;
    const run = await measureRun(subject, { label, ...open(perSecond, seconds, endpoints), drain: longDrain });
    runs.push(run);
    return run.isSustained;
  };
  const found = await searchRate({
    first: Math.max(1, 1.1 * (known.arrivals[endpoints] ?? 1)),
    probe: (perSecond) => isSustained(perSecond, probeSeconds),
    hold: (perSecond) => isSustained(perSecond, holdSeconds),
  });
  if (endpoints === 1) known.sustained = found;
  if (found === undefined) subject.say(`${subject.name}: none of the rates tried was sustained for ${holdSeconds} s`);
  return resultOf(runs, findings.sustained(found ?? 0, endpoints));
}

async function rest(
  { name, running, traffic, say }: Subject,
  { afterSeconds, seconds }: { afterSeconds: number; seconds: number },
): Promise<StepResult> {
  await delay(afterSeconds * 1_000);
  const read = () => readAccounts(running.processes(), [process.pid, traffic.pid]);
  const before = read();
  await delay(seconds * 1_000);
  const spent = spentBetween(before, read());
  const found = readMemory(running.processes());
  const othersCores = spent.others / spent.seconds;
  const shares = Object.fromEntries(
    Object.entries(spent.by).map(([each, total]) => [each, (100 * total) / spent.seconds]),
  );
  say(`${name} at rest: % of a core: ${list(shares, 2)}; others took ${othersCores.toFixed(2)} of a core`);
  say(`${name} at rest: MiB: ${list(found, 0)}`);
  return {
    findings: findings.rest(spent, found, afterSeconds),
    byProcess: [...findingsByProcess.rest(spent), ...findingsByProcess.memory(found, 'at rest')],
    unsettled: [],
    othersCores,
  };
}

function memory({ name, running, say }: Subject): StepResult {
  const found = readMemory(running.processes());
  say(`${name} after load: MiB: ${list(found, 0)}`);
  const byProcess = findingsByProcess.memory(found, 'after load');
  return { findings: findings.memory(found), byProcess, unsettled: [], othersCores: 0 };
}

const list = (values: Readonly<Record<string, number>>, digits: number): string =>
  Object.entries(values)
    .map(([each, value]) => `${each} ${value.toFixed(digits)}`)
    .join(', ');

function skipped({ name, say }: Subject, why: string): StepResult {
  say(`${name}: ${why}`);
  return { findings: [], byProcess: [], unsettled: [], othersCores: 0 };
}

const open = (perSecond: number, seconds: number, endpoints: Endpoints): Omit<RunPlan, 'label'> => ({
  pace: { kind: 'open', perSecond, count: Math.round(perSecond * seconds) },
  endpoints,
});

const resultOf = (runs: readonly MeasuredRun[], found: Finding[], byProcess: Finding[] = []): StepResult => ({
  findings: found,
  byProcess,
  unsettled: runs.flatMap(({ run, reconciled: { lost: count } }) => (count > 0 ? [{ run, count }] : [])),
  othersCores: Math.max(0, ...runs.map(({ spent }) => spent.others / spent.seconds)),
});

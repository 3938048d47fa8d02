import { describeLatencies } from '../../support/percentiles.ts';
import { readAccounts, type Spent, spentBetween } from './accounts.ts';
import { type Reconciled, reconcile } from './reconcile.ts';
import { judgeSustained } from './sustained.ts';
import type { Endpoints, RunningSystem, SystemName } from './systems/system.ts';
import type { Pace, TrafficRecord } from './traffic/job.ts';
import type { Traffic } from './traffic/traffic.ts';

/** One system under measurement. */
export interface Subject {
  name: SystemName;
  running: RunningSystem;
  traffic: Traffic;
  say(line: string): void;
}

export interface RunPlan {
  label: string;
  pace: Pace;
  endpoints: Endpoints;
  hangsForMs?: number;
  drain?: { atMostMs: number; idleMs: number };
  /** Kills its processes at half of what is published, which is sent again until it is acknowledged. */
  isKilled?: boolean;
}

export interface MeasuredRun {
  /** Its name, in the id of each of its events. */
  run: string;
  record: TrafficRecord;
  reconciled: Reconciled;
  /** Spent until all had arrived. A killed process takes part of its account with it. */
  spent: Spent;
  isSustained: boolean;
}

const connections = { closed: 64, open: 128 };
const connectionsWhereKilled = 64;
const usualDrain = { atMostMs: 120_000, idleMs: 20_000 };
let runs = 0;

/** Publishes, waits for outstanding events, reconciles, and reports in a few lines. */
export async function measureRun(subject: Subject, plan: RunPlan): Promise<MeasuredRun> {
  const { name, running, traffic } = subject;
  const { label, pace, endpoints, hangsForMs, drain = usualDrain, isKilled = false } = plan;
  runs += 1;
  const run = `${process.pid.toString(36)}r${runs}`;
  await traffic.prepare({
    run,
    target: running.target(name, endpoints),
    pace,
    endpoints,
    hangsForMs,
    sendsAgain: isKilled,
    connections: isKilled ? connectionsWhereKilled : connections[pace.kind],
    tellAfter: isKilled && pace.kind === 'open' ? pace.count / 2 : undefined,
  });
  const read = () => readAccounts(running.processes(), [process.pid, traffic.pid]);
  const before = read();
  let restarting: Promise<void> | undefined;
  const notRestarted = Promise.withResolvers<never>();
  const kill = (): void => {
    restarting = running.killAndRestart();
    // Without acknowledgments, publishing would continue for ever.
    restarting.catch(notRestarted.reject);
  };
  await Promise.race([traffic.publish(isKilled ? kill : undefined), notRestarted.promise]);
  await restarting;
  const record = await traffic.drain(drain);
  const spent = spentBetween(before, read());
  const reconciled = reconcile(record, hangsForMs === undefined ? 0 : 1);
  const judged = judgeSustained({
    perSecond: pace.kind === 'open' ? pace.perSecond : record.published / (record.publishedMs / 1_000),
    endpoints: endpoints - (hangsForMs === undefined ? 0 : 1),
    published: record.published,
    acknowledged: record.atPublished.acknowledged,
    publishedSeconds: record.publishedMs / 1_000,
    moments: record.moments,
  });
  for (const line of describe(reconciled, record, spent, isKilled)) subject.say(`${name} ${label}: ${line}`);
  if (pace.kind === 'open' && !isKilled)
    subject.say(`${name} ${label}: ${judged.isSustained ? 'sustained' : 'too much'}, ${judged.says}`);
  return { run, record, reconciled, spent, isSustained: judged.isSustained };
}

function describe(found: Reconciled, record: TrafficRecord, spent: Spent, isKilled: boolean): string[] {
  const { published, acknowledged, arrived, lost, twice, unacknowledged } = found;
  const { atPublished, publishedMs, drainedMs, failures, firstFailure, sentAgain, strays, lateMs } = record;
  const seconds = publishedMs / 1_000;
  const shares = Object.entries(spent.by).map(([name, each]) => `${name} ${((each * 1_000) / arrived).toFixed(2)}`);
  const failed = Object.entries(failures).map(([what, count]) => `${what} ${count} times`);
  return [
    `${published} published in ${seconds.toFixed(1)} s, ${acknowledged} acknowledged, ${atPublished.arrived} arrived meanwhile, ${arrived} after ${(drainedMs / 1_000).toFixed(1)} s; ` +
      `lost ${lost}, twice ${twice}, arrived though never acknowledged ${unacknowledged}, strays ${strays}`,
    `to acknowledgment ${describeLatencies(found.toAcknowledgment)}; from there to arrival ${describeLatencies(found.toArrival)}; sent late by ${lateMs.toFixed(0)} ms at worst`,
    ...(isKilled
      ? []
      : [
          `ms of processor time an arrival: ${((spent.system * 1_000) / arrived).toFixed(2)} (${shares.join(', ')}); sender and receiver ${((spent.ours * 1_000) / arrived).toFixed(2)}; ` +
            `others took ${(spent.others / spent.seconds).toFixed(2)} of a core`,
        ]),
    ...(failed.length === 0
      ? []
      : [`refused or unanswered: ${failed.join(', ')}, sent again ${sentAgain} times; first: ${firstFailure}`]),
  ];
}

/**
 * The checker: adds up what senders, topics, receivers, tables and API say of one run, and names what does not fit. Pure; what it is
 * given comes from load-history.ts, or from a test that hands it a broken one.
 */
import { type Anomaly, anomalies, type Violation } from './anomalies.ts';
import { addsUp, type CountRow, countRows, formatCounts, receivingRows } from './counts.ts';
import { explain } from './explain.ts';
import type { History } from './history.ts';
import { openLedger, type Ledger } from './ledger.ts';
import { acceptedWebhooksAreOnTheTopic } from './rules/accepted.ts';
import {
  duplicatesAreOfTheirEvent,
  eventsStandForOneWebhook,
  noSoundWebhookDies,
  recordsEndInOneWay,
  webhooksHaveOneEventId,
} from './rules/accepted-once.ts';
import { everyRequestIsAnswered, refusalsComeInTime } from './rules/answered.ts';
import { arrivalsAreWhatWasSent } from './rules/arrived.ts';
import { deliveriesEnd } from './rules/ended.ts';
import { eventsAreFannedOut } from './rules/fanned-out.ts';
import { pollersMissNothing } from './rules/polled.ts';
import { keysHaveOneEffect } from './rules/published.ts';
import { theApiShowsEveryEvent, theTablesAreComplete } from './rules/shown.ts';

export interface Verdict {
  violations: readonly Violation[];
  /** How many of each kind; empty where all is well. */
  tally: Partial<Record<Anomaly, number>>;
  counts: readonly CountRow[];
  /** The table of counts, then the first violation of each kind with the path of its webhook. */
  text: string;
  /** The judged history, for a closer look. */
  ledger: Ledger;
}

/** How far webhooks go in a run: to the receivers of endpoints or, without fan-out, to the events in the API. */
export type Scope = 'pipeline' | 'receiving';

type Rule = (ledger: Ledger) => Violation[];

const shared: readonly Rule[] = [
  acceptedWebhooksAreOnTheTopic,
  recordsEndInOneWay,
  eventsStandForOneWebhook,
  webhooksHaveOneEventId,
  duplicatesAreOfTheirEvent,
  theApiShowsEveryEvent,
  theTablesAreComplete,
];
const rules: Readonly<Record<Scope, readonly Rule[]>> = {
  pipeline: [
    ...shared,
    keysHaveOneEffect,
    eventsAreFannedOut,
    deliveriesEnd,
    arrivalsAreWhatWasSent,
    pollersMissNothing,
  ],
  receiving: [...shared, everyRequestIsAnswered, refusalsComeInTime, noSoundWebhookDies],
};

export function check(history: History, scope: Scope = 'pipeline'): Verdict {
  const ledger = openLedger(history);
  const counts = scope === 'receiving' ? receivingRows(ledger) : countRows(ledger);
  const violations = [
    ...rules[scope].flatMap((rule) => rule(ledger)),
    ...counts
      .filter((row) => !addsUp(row))
      .map((row): Violation => ({
        anomaly: 'does-not-add-up',
        subject: { row: row.whole[0] },
        says: formatCounts([row]).trim(),
      })),
  ];
  return { violations, tally: tallyOf(violations), counts, text: describe(ledger, counts, violations), ledger };
}

function tallyOf(violations: readonly Violation[]): Verdict['tally'] {
  const byAnomaly = Map.groupBy(violations, ({ anomaly }) => anomaly);
  return Object.fromEntries([...byAnomaly].map(([anomaly, found]) => [anomaly, found.length]));
}

function describe(ledger: Ledger, counts: readonly CountRow[], violations: readonly Violation[]): string {
  const byAnomaly = Map.groupBy(violations, ({ anomaly }) => anomaly);
  return [
    formatCounts(counts),
    `  violations ${violations.length}`,
    ...[...byAnomaly].map(([name, found]) => `    ${name} ${found.length}: ${anomalies[name]}`),
    // One fault breaks many webhooks in the same way: one path of each kind tells it.
    ...[...byAnomaly.values()].flatMap(([first]) => (first === undefined ? [] : describeOne(ledger, first))),
  ].join('\n');
}

function describeOne(ledger: Ledger, { anomaly, subject, says }: Violation): string[] {
  return [
    '',
    `  ${anomaly} (${Object.entries(subject).flat().join(' ')}): ${says}`,
    ...explain(ledger, subject).map((line) => `    ${line}`),
  ];
}

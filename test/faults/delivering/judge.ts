import type { KafkaOffsets } from '../../support/kafka-offsets.ts';
import { percentile } from '../../support/percentiles.ts';
import { checkWhenDrained } from '../checker/check-when-drained.ts';
import type { Ledger } from '../checker/ledger.ts';
import type { Witnesses } from '../checker/load-history.ts';
import type { ProjectionWatch } from '../support/projection-watch.ts';
import { areReadToTheEnd } from '../support/are-read-to-the-end.ts';
import { readDispatcherLog } from './dispatcher-log.ts';
import { type Cast, judgeEnds, judgeGone, judgeDeadLetters } from './ends.ts';
import { describeFindings, type Finding } from './findings.ts';
import type { DispatcherFollower } from './follow-dispatchers.ts';
import { judgeOrder, latenciesOf, type PayloadOf, payloadsOf } from './order.ts';
import { judgeRepeats } from './repeats.ts';
import { endsOf, type ScenarioResult } from './result.ts';
import { failingKeys, type Scenario } from './scenarios.ts';
import type { Tables } from './tables.ts';
import type { Payload } from './webhooks.ts';

export interface Evidence {
  scenario: Scenario;
  witnesses: Witnesses;
  sourceId: string;
  cast: Cast;
  /** By what the sender calls them. */
  payloads: ReadonlyMap<string, Payload>;
  dispatcherFollower: DispatcherFollower;
  tables: Tables;
  offsets: KafkaOffsets;
  projection: ProjectionWatch;
  topicPrefix: string;
}

type Judged = Omit<ScenarioResult, 'scenario' | 'kills' | 'rebalances' | 'seconds' | 'drainSeconds'>;

/** It had drained before, or will not. */
const drainTimeoutMs = 30_000;

/** Says of a scenario whether the guarantees held, once all that it began has ended. */
export async function judge(evidence: Evidence): Promise<Judged> {
  const { scenario, witnesses, cast, dispatcherFollower, tables, projection } = evidence;
  const verdict = await checkWhenDrained(witnesses, drainTimeoutMs, () => hasDrained(evidence));
  const { ledger } = verdict;
  const repeats = judgeRepeats(ledger, readDispatcherLog(dispatcherFollower.facts()), projection.inTablesAtMs);
  const deadLetters = judgeDeadLetters(ledger, await tables.deadLetters([...cast.keys()]));
  const payloadOf = payloadsOf(ledger, evidence.payloads);
  const disorder = scenario.isOrdered
    ? judgeOrder(ledger, { keyOf: (event) => payloadOf(event)?.key, isOrdered: () => true })
    : [];
  const found: Finding[] = [
    ...repeats.elsewhere,
    ...deadLetters.findings,
    ...judgeEnds(ledger, cast),
    ...judgeGone(ledger.history.arrivals, ledger.history.endpoints, ledger.history.faults),
    ...disorder,
  ];
  return {
    ...endsOf(ledger),
    repeats: repeats.byCause,
    repeatsElsewhere: repeats.elsewhere.length,
    longestKnownMs: Math.round(repeats.longestKnownMs),
    deadLettersAgain: deadLetters.again,
    outOfOrder: disorder.length,
    latencies: scenario.isOrdered ? latenciesOfActs(ledger, payloadOf, evidence) : {},
    violations: [...(verdict.violations.length > 0 ? [verdict.text] : []), ...describeFindings(found)],
  };
}

/** All that was taken has become events, all of them have ended, nothing waits, and nothing that was written is still to be read. */
export async function hasDrained(
  evidence: Omit<Evidence, 'scenario' | 'payloads' | 'dispatcherFollower'>,
): Promise<boolean> {
  const { witnesses, tables, sourceId, cast, offsets, topicPrefix } = evidence;
  const { ended, open } = await tables.events([sourceId]);
  const taken = new Set(witnesses.sends.filter(({ outcome }) => outcome === 'ok').map(({ identity }) => identity));
  if (open > 0 || ended < taken.size || (await tables.waiting([...cast.keys()])) > 0) return false;
  return areReadToTheEnd(offsets, topicPrefix, [
    ['fan-out', 'events'],
    ['dispatcher', 'deliveries'],
    ['projector', 'delivery.attempts'],
    ['projector', 'dead-letters'],
  ]);
}

/** Latencies of the acts in which nothing is killed, at endpoints that are always well, for the same keys in each. */
function latenciesOfActs(
  ledger: Ledger,
  payloadOf: PayloadOf,
  { scenario, cast }: Pick<Evidence, 'scenario' | 'cast'>,
): ScenarioResult['latencies'] {
  const steady = [...cast].filter(([, { role }]) => role.name === 'steady').map(([id]) => id);
  const failing = new Set(Array.from({ length: failingKeys }, (_, key) => `key-${key}`));
  return Object.fromEntries(
    scenario.acts.map(({ name }) => {
      const latencies = latenciesOf(
        ledger,
        (event) => {
          const payload = payloadOf(event);
          return payload?.act === name && !failing.has(payload.key);
        },
        steady,
      );
      return [
        name,
        { p50: Math.round(percentile(latencies, 0.5)), p99: Math.round(percentile(latencies, 0.99)) },
      ] as const;
    }),
  );
}

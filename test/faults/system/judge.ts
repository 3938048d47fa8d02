/** The verdict on a run: what was seen, added up. */
import { check } from '../checker/check.ts';
import { readDispatcherLog } from '../delivering/dispatcher-log.ts';
import { castOf, judgeEnds, judgeGone, judgeDeadLetters } from '../delivering/ends.ts';
import { describeFindings } from '../delivering/findings.ts';
import { judgeOrder } from '../delivering/order.ts';
import { judgeRepeats } from '../delivering/repeats.ts';
import { judgeAbsences } from './absences.ts';
import { judgeBystanders } from './bystanders.ts';
import { countsOf } from './counts.ts';
import { healthyName, isOrdered, systemRoles } from './endpoints.ts';
import { faultKinds } from './fault-kinds.ts';
import { latencyOf, recoveriesOf, timelineOf } from './recovery.ts';
import { type SystemResult, tellKinds } from './result.ts';
import type { Inflicted } from './schedule.ts';
import type { Seen } from './seen.ts';
import { orderingKeysOf } from './traffic.ts';

/** A pure function of what was seen. */
export function judge(seen: Seen): SystemResult {
  const { history, endpointIds, inflicted, leftOut, restarts, late, seconds, drainSeconds } = seen;
  const verdict = check(history);
  const { ledger } = verdict;
  const repeats = judgeRepeats(ledger, readDispatcherLog(seen.dispatchers));
  const nameOf = new Map([...endpointIds].map(([name, id]) => [id, name]));
  const healthyId = endpointIds.get(healthyName) ?? '';
  const found = [
    ...judgeEnds(ledger, castOf(systemRoles, endpointIds)),
    ...judgeGone(history.arrivals, history.endpoints, history.faults),
    ...judgeOrder(ledger, {
      keyOf: orderingKeysOf(ledger, seen.intents),
      isOrdered: (id) => isOrdered(nameOf.get(id) ?? ''),
    }),
    ...repeats.elsewhere,
    ...judgeDeadLetters(ledger, seen.deadLettersInTable).findings,
  ];
  return {
    ...countsOf(verdict),
    repeats: repeats.byCause,
    latencyMs: latencyOf(ledger, healthyId),
    timeline: timelineOf(ledger, healthyId),
    kinds: tellKinds(recoveriesOf(ledger, inflicted, healthyId), faultKinds),
    faults: inflicted.length,
    leftOut,
    restarts,
    late,
    seconds,
    drainSeconds,
    violations: [
      ...(verdict.violations.length > 0 ? [verdict.text] : []),
      ...describeFindings(found),
      ...judgeAbsences(seen.absences, inflicted.filter(isOutage)),
      ...judgeBystanders(seen.bystanders, inflicted),
    ],
  };
}

/** Kafka was away, or the way there. */
const isOutage = ({ kind }: Inflicted): boolean => {
  const track = faultKinds.find(({ name }) => name === kind)?.track;
  return track === 'brokers' || track === 'broker links';
};

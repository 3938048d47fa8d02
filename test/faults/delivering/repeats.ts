/**
 * Requests of a delivery after its receiver had taken it. At least once means that there are some; but each must have its reason:
 *
 * - whoever sends it again was given its partition after the first send began, or slept meanwhile and has not heard that he lost it,
 * - and by then the tables could not know yet that it had ended.
 *
 * A request that no log tells of is one whose sender was killed in the act.
 */
import { isFinal } from '#lib/contract';
import type { Arrival, Fault } from '../checker/history.ts';
import { deliveriesOfPair, type Ledger } from '../checker/ledger.ts';
import { isTaken } from '../checker/rules/ended.ts';
import type { DispatcherLog, LoggedSend } from './dispatcher-log.ts';
import type { Finding } from './findings.ts';

export interface Repeats {
  /** With a reason: whoever it was taken from was killed before he could say so, or lost the partition, or his word was not yet known. */
  near: { ofKilled: number; handedOver: number };
  elsewhere: Finding[];
  /** The longest that an end had been on its topic when a new owner took over and sent again: what the tables were behind, in ms. */
  longestKnownMs: number;
}

/** Both processes hear of a rebalance at about the same time. */
const handoverMs = 2_000;
/** How far the tables may be behind the topic. */
const tablesLagMs = 5_000;
/** A send takes no longer, and so a killed sender dies within it. */
const sendMs = 12_000;

export function judgeRepeats(ledger: Ledger, log: DispatcherLog): Repeats {
  const repeats: Repeats = { near: { ofKilled: 0, handedOver: 0 }, elsewhere: [], longestKnownMs: 0 };
  for (const arrivals of ledger.arrivalsByPair.values()) {
    if (arrivals.length > 1) judgePair(ledger, log, arrivals, repeats);
  }
  return repeats;
}

function judgePair(ledger: Ledger, log: DispatcherLog, unordered: readonly Arrival[], repeats: Repeats): void {
  const arrivals = unordered.toSorted((a, b) => a.atMs - b.atMs);
  const senders = log.sendersOf(arrivals);
  const generations = deliveriesOfPair(ledger, arrivals);
  const isKnownTake = (arrival: Arrival): boolean => {
    const outcome = senders.get(arrival)?.outcome;
    // What came too late counts as not delivered, and is sent again with good reason.
    return isTaken(arrival) && (outcome === undefined || outcome === 'delivered');
  };
  for (const [index, repeat] of arrivals.entries()) {
    const by = senders.get(repeat);
    // Which generation of several a killed sender had in hand can't be told.
    if (by === undefined && generations.length > 1) continue;
    const taken = arrivals
      .slice(0, index)
      .filter(isKnownTake)
      .filter((take) => by === undefined || (senders.get(take)?.generation ?? by.generation) === by.generation);
    const first = taken[0];
    if (first === undefined) continue;
    const delivery = generations.find(({ generation }) => generation === (by?.generation ?? 0));
    const endedAtMs = delivery?.steps.find(({ status }) => isFinal(status))?.atMs ?? Number.POSITIVE_INFINITY;
    const verdict = judgeRepeat(ledger, log, { repeat, by, first, firstBy: senders.get(first), endedAtMs });
    repeats.longestKnownMs = Math.max(repeats.longestKnownMs, verdict.knownMs);
    if (verdict.finding === undefined) repeats.near[senders.has(first) ? 'handedOver' : 'ofKilled'] += 1;
    else
      repeats.elsewhere.push({
        finding: verdict.finding,
        says: [
          `${repeat.eventId} at ${repeat.endpointId} (${delivery?.id})`,
          `taken at ${text(first.atMs)} from ${senders.get(first)?.process ?? 'one who was killed'}, end recorded at ${text(endedAtMs)}`,
          `again at ${text(repeat.atMs)} from ${by?.process ?? 'nobody'}, attempt ${repeat.attempt}`,
          ...(by === undefined ? [] : [`${by.process} gained at ${log.gainsOf(by.process).map(text).join(', ')}`]),
          ...(delivery?.steps ?? []).map(
            ({ step, status, outcome, atMs, position }) =>
              `step ${step} ${status} ${outcome ?? ''} at ${text(atMs)}, ${position}`,
          ),
        ].join('\n  '),
      });
  }
}

interface Case {
  repeat: Arrival;
  by: LoggedSend | undefined;
  first: Arrival;
  firstBy: LoggedSend | undefined;
  endedAtMs: number;
}

function judgeRepeat(
  { history: { faults } }: Ledger,
  log: DispatcherLog,
  { repeat, by, first, firstBy, endedAtMs }: Case,
): { finding?: Finding['finding']; knownMs: number } {
  if (by === undefined) {
    const died = faults.some(({ service, atMs }) => service === 'dispatcher' && isWithin(atMs, repeat.atMs, sendMs));
    return died ? { knownMs: 0 } : { finding: 'repeat-by-nobody', knownMs: 0 };
  }
  if (firstBy?.process === by.process) return { finding: 'repeat-by-the-same', knownMs: 0 };
  if (sleptThrough(faults, by, first, repeat)) return { knownMs: 0 };
  const gainedAtMs = log.gainsOf(by.process).find((atMs) => atMs >= first.atMs - handoverMs && atMs <= repeat.atMs);
  if (gainedAtMs === undefined) return { finding: 'repeat-elsewhere', knownMs: 0 };
  const knownMs = Math.max(0, gainedAtMs - endedAtMs);
  return knownMs > tablesLagMs ? { finding: 'repeat-of-the-known', knownMs } : { knownMs };
}

const isWithin = (atMs: number, fromMs: number, forMs: number): boolean =>
  atMs >= fromMs - 1_000 && atMs <= fromMs + forMs;

/** Stopped after the one had begun, or when another did it in its stead. */
function sleptThrough(faults: readonly Fault[], by: LoggedSend, first: Arrival, repeat: Arrival): boolean {
  const [name] = by.process.split('#');
  return faults.some(
    ({ what, atMs, settledAtMs }) =>
      what === `SIGSTOP of ${name}` && atMs <= repeat.atMs && settledAtMs >= first.atMs && first.atMs >= atMs - sendMs,
  );
}

const text = (ms: number): string => (Number.isFinite(ms) ? new Date(ms).toISOString().slice(11, 23) : 'never');

/**
 * Requests of a delivery after its receiver had accepted it. At-least-once delivery allows them, but each must have a cause in the logs and
 * the faults:
 *
 * | cause        | evidence                                                                                                  |
 * |--------------|-----------------------------------------------------------------------------------------------------------|
 * | `killed`     | whoever sent it, the first time or again, has said nothing of it, and a dispatcher was killed in the act; or whoever sent it first has died, and another was given its partition |
 * | `slept`      | the second sender slept while another sent it, and has not learned that it lost the partition             |
 * | `cut-off`    | one of the two sent in an older generation of the group: it was cut off, and did not know of the newer one |
 * | `unheard`    | the first sender got no answer: its connection was cut, or the answer or the request came too late        |
 * | `unrecorded` | another process got its partition before the outcome was on its topic                                     |
 * | `behind`     | another process got its partition before the tables, which lag behind the topic, can have the outcome     |
 * | `unasked`    | Postgres did not answer another process, when that got the partition, which deliveries have ended         |
 *
 * A repeat without any of them is a finding.
 */
import { isFinal } from '#lib/contract';
import type { Arrival, Fault } from '../checker/history.ts';
import { deliveriesOfPair, type DeliveryAccount, type Ledger, overlaps } from '../checker/ledger.ts';
import { isTaken, isUnanswered } from '../checker/rules/ended.ts';
import { type DispatcherLog, type Join, type LoggedSend, nameOfProcess, slackMs } from './dispatcher-log.ts';
import type { Finding } from './findings.ts';

export const repeatCauses = ['killed', 'slept', 'cut-off', 'unheard', 'unrecorded', 'behind', 'unasked'] as const;
export type RepeatCause = (typeof repeatCauses)[number];

export interface Repeats {
  byCause: Record<RepeatCause, number>;
  elsewhere: Finding[];
  /** The longest that an end had been on its topic when a new owner took over and sent again: what the tables were behind, in ms. */
  longestKnownMs: number;
}

/** When the tables are known to have had a record (projection-watch.ts), in ms since the epoch; infinity: never. */
export type InTablesAtMs = (position: string) => number;

/** Both processes hear of a rebalance at about the same time. */
const handoverMs = 2_000;
/** How far the tables may be behind the topic where nothing keeps them. */
const tablesLagMs = 5_000;
/** A send takes no longer, and so a killed sender dies within it. */
const sendMs = 12_000;

/** @param inTablesAtMs omitted if nobody watched the projector: then the event's changes say it, or else the end itself does */
export function judgeRepeats(ledger: Ledger, log: DispatcherLog, inTablesAtMs?: InTablesAtMs): Repeats {
  const byCause = { killed: 0, slept: 0, 'cut-off': 0, unheard: 0, unrecorded: 0, behind: 0, unasked: 0 };
  const repeats: Repeats = { byCause, elsewhere: [], longestKnownMs: 0 };
  for (const arrivals of ledger.arrivalsByPair.values()) {
    if (arrivals.length > 1) judgePair({ ledger, log, inTablesAtMs }, arrivals, repeats);
  }
  return repeats;
}

interface Seen {
  ledger: Ledger;
  log: DispatcherLog;
  inTablesAtMs: InTablesAtMs | undefined;
}

function judgePair(seen: Seen, unordered: readonly Arrival[], repeats: Repeats): void {
  const { ledger, log } = seen;
  const arrivals = unordered.toSorted((a, b) => a.atMs - b.atMs);
  const senders = log.sendersOf(arrivals, ledger.history.faults);
  const generations = deliveriesOfPair(ledger, arrivals);
  for (const [index, repeat] of arrivals.entries()) {
    const by = senders.get(repeat);
    const taken = arrivals
      .slice(0, index)
      .filter(isTaken)
      .filter((take) => by === undefined || (senders.get(take)?.generation ?? by.generation) === by.generation);
    // An arrival that was too late counts as not delivered, and is rightly sent again.
    const known = taken.filter((take) => (senders.get(take)?.outcome ?? 'delivered') === 'delivered');
    // A killed sender does not say which generation he had in hand: as many as there are may be taken once each.
    if (by === undefined && known.length < generations.length) continue;
    const first = known[0];
    if (first === undefined) {
      if (taken.length > 0 && isTaken(repeat)) repeats.byCause.unheard += 1;
      continue;
    }
    const delivery = generations.find(({ generation }) => generation === (by?.generation ?? 0));
    const end = delivery?.steps.find(({ status }) => isFinal(status));
    const endedAtMs = end?.atMs ?? Number.POSITIVE_INFINITY;
    const knownAtMs = knownSinceMs(seen, first.eventId, end);
    const judged = judgeRepeat(ledger, log, { repeat, by, first, firstBy: senders.get(first), endedAtMs, knownAtMs });
    repeats.longestKnownMs = Math.max(repeats.longestKnownMs, judged.knownMs ?? 0);
    if (judged.cause !== undefined) repeats.byCause[judged.cause] += 1;
    if (judged.finding === undefined) continue;
    const says = describe(
      ledger.history.faults,
      log,
      { repeat, by, first, firstBy: senders.get(first), endedAtMs, knownAtMs },
      delivery,
    );
    repeats.elsewhere.push({ finding: judged.finding, says });
  }
}

interface Case {
  repeat: Arrival;
  by: LoggedSend | undefined;
  first: Arrival;
  firstBy: LoggedSend | undefined;
  endedAtMs: number;
  /** When the tables had the end. */
  knownAtMs: number;
}

interface Judged {
  cause?: RepeatCause;
  finding?: Finding['finding'];
  knownMs?: number;
}

function judgeRepeat(
  ledger: Ledger,
  log: DispatcherLog,
  { repeat, by, first, firstBy, endedAtMs, knownAtMs }: Case,
): Judged {
  const { faults } = ledger.history;
  const deaths = faults.filter(({ service, deadly }) => service === 'dispatcher' && deadly === true);
  // It is signed when it is sent, and may arrive after its sender's death: the network has it by then.
  const diedAfter = ({ atMs: cameAtMs, signedAtMs }: Arrival): boolean =>
    deaths.some(({ atMs }) => isWithin(atMs, cameAtMs, sendMs) || isWithin(atMs, signedAtMs, sendMs));
  if (by === undefined) return diedAfter(repeat) ? { cause: 'killed' } : { finding: 'repeat-by-nobody' };
  if (firstBy === undefined && !diedAfter(first)) return { finding: 'repeat-by-nobody' };
  if (firstBy !== undefined && cameLate(by, firstBy)) return { cause: 'unheard' };
  if (firstBy?.process === by.process) return { finding: 'repeat-by-the-same' };
  if (sleptThrough(faults, by, first, repeat)) return { cause: 'slept' };
  if (firstBy !== undefined && (isCutOff(faults, log, firstBy, by) || isCutOff(faults, log, by, firstBy)))
    return { cause: 'cut-off' };
  const begunAtMs = firstBy?.startedAtMs ?? begunBySignature(first);
  const gainedAtMs = log
    .gainsOf(by.process)
    .find(({ atMs }) => atMs >= begunAtMs - handoverMs && atMs <= repeat.atMs)?.atMs;
  if (gainedAtMs === undefined) return { finding: 'repeat-elsewhere' };
  const knownMs = Math.max(0, gainedAtMs - knownAtMs);
  if (knownMs > tablesLagMs && !areTablesKept(faults, endedAtMs, gainedAtMs))
    return log.tookUnasked(by.process, gainedAtMs, repeat.atMs)
      ? { cause: 'unasked' }
      : { finding: 'repeat-of-the-known', knownMs };
  if (firstBy === undefined || deaths.some((death) => isDeathOf(death, firstBy, repeat)))
    return { cause: 'killed', knownMs };
  return { cause: gainedAtMs > endedAtMs ? 'behind' : 'unrecorded', knownMs };
}

/** A killed sender has not logged it: use the signature's time if its clock was right, else the earliest possible time. */
const begunBySignature = ({ atMs, signedAtMs }: Arrival): number =>
  isWithin(signedAtMs, atMs - sendMs, sendMs) ? signedAtMs : atMs - sendMs;

/** It was given up before the accepted one began: the network held it up. */
const cameLate = (late: LoggedSend, taken: LoggedSend): boolean =>
  isUnanswered(late) && late.endedAtMs <= taken.startedAtMs + slackMs;

const isWithin = (atMs: number, fromMs: number, forMs: number): boolean =>
  atMs >= fromMs - 1_000 && atMs <= fromMs + forMs;

const nameOf = ({ process }: LoggedSend): string => nameOfProcess(process);

const isDeathOf = (death: Fault, send: LoggedSend, before: Arrival): boolean =>
  death.process === nameOf(send) && death.atMs >= send.startedAtMs && death.atMs <= before.atMs;

/**
 * The earliest time when the tables can have the end: the projector's offset if somebody watched it, the event's next change if every
 * change was recorded, else the end itself.
 */
function knownSinceMs(
  { ledger: { history, changesByEvent }, inTablesAtMs }: Seen,
  eventId: string,
  end: { atMs: number; position: string } | undefined,
): number {
  if (end === undefined) return Number.POSITIVE_INFINITY;
  if (inTablesAtMs !== undefined) return inTablesAtMs(end.position);
  if (history.changes.length === 0) return end.atMs;
  const next = changesByEvent.get(eventId)?.find(({ atMs }) => atMs >= end.atMs);
  return next?.atMs ?? Number.POSITIVE_INFINITY;
}

/** Whether anything that the tables are written by, or with, was disturbed: the projector itself, a server or a link. */
const areTablesKept = (faults: readonly Fault[], fromMs: number, untilMs: number): boolean =>
  faults.some(
    (fault) => (fault.service === undefined || fault.service === 'projector') && overlaps(fault, fromMs, untilMs),
  );

/** Stopped after the one had begun, or when another did it in its stead. */
const sleptThrough = (faults: readonly Fault[], by: LoggedSend, first: Arrival, repeat: Arrival): boolean =>
  faults.some(
    ({ what, atMs, settledAtMs }) =>
      what === `SIGSTOP of ${nameOf(by)}` &&
      atMs <= repeat.atMs &&
      settledAtMs >= first.atMs &&
      first.atMs >= atMs - sendMs,
  );

/**
 * Whether one sent in an older generation of the group when the other had already been given partitions in a newer one. A member
 * that is reached learns of a newer generation in time, so a fault of a server, of a link or of the dispatchers must have kept it from that.
 */
function isCutOff(faults: readonly Fault[], log: DispatcherLog, one: LoggedSend, other: LoggedSend): boolean {
  const joined = log.lastJoinOf(one.process, one.startedAtMs);
  const newer = log
    .gainsOf(other.process)
    .find(({ atMs, generation }) => atMs <= one.startedAtMs && generation > (joined?.generation ?? -Infinity));
  if (joined === undefined || newer === undefined) return false;
  const fromMs = Math.min(joined.atMs, newer.atMs);
  return faults.some(
    (fault) =>
      (fault.service === undefined || fault.service === 'dispatcher') && overlaps(fault, fromMs, one.startedAtMs),
  );
}

function describe(
  faults: readonly Fault[],
  log: DispatcherLog,
  { repeat, by, first, firstBy, endedAtMs, knownAtMs }: Case,
  delivery: DeliveryAccount | undefined,
): string {
  return [
    `${repeat.eventId} at ${repeat.endpointId} (${delivery?.id})`,
    `taken at ${text(first.atMs)} from ${firstBy?.process ?? 'one who was killed'}, end recorded at ${text(endedAtMs)}, in the tables at ${text(knownAtMs)}`,
    `again at ${text(repeat.atMs)} from ${by?.process ?? 'nobody'}, attempt ${repeat.attempt}`,
    ...[firstBy, by].flatMap((send) => (send === undefined ? [] : [describeSender(log, send)])),
    ...faultsNear(faults, first, repeat).map(
      ({ what, atMs, settledAtMs }) => `${what} from ${text(atMs)} until ${text(settledAtMs)}`,
    ),
    ...(delivery?.steps ?? []).map(
      ({ step, status, outcome, atMs, position }) =>
        `step ${step} ${status} ${outcome ?? ''} at ${text(atMs)}, ${position}`,
    ),
  ].join('\n  ');
}

const describeSender = (log: DispatcherLog, { process, startedAtMs }: LoggedSend): string => {
  const joined = log.lastJoinOf(process, startedAtMs);
  const gains = log.gainsOf(process).map(describeJoin).join(', ');
  return `${process} sent from ${text(startedAtMs)} on, had joined ${joined ? describeJoin(joined) : 'never'}, gained ${gains}`;
};

const describeJoin = ({ atMs, generation }: Join): string => `generation ${generation} at ${text(atMs)}`;

/** Faults that may have cut one of the two off, or killed it. */
const faultsNear = (faults: readonly Fault[], first: Arrival, repeat: Arrival): Fault[] =>
  faults.filter((fault) => overlaps(fault, first.atMs - 30_000, repeat.atMs));

const text = (ms: number): string => (Number.isFinite(ms) ? new Date(ms).toISOString().slice(11, 23) : 'never');

import { formatMicros } from '#lib/runtime';
import type { Subject } from './anomalies.ts';
import type { Send } from './history.ts';
import { isPublished, type Ledger, namedIn, pairOf } from './ledger.ts';
import { relatedTo } from './related.ts';

interface Step {
  /** Undefined where the topic keeps no time of its own: shown after the step that it follows. */
  atMs: number | undefined;
  what: string;
}

/** The whole path of the webhook that a violation is about, from its requests to what the API says of it, in order of time. */
export function explain(ledger: Ledger, subject: Subject): string[] {
  if ('row' in subject || 'poller' in subject) return [];
  const { sends, origins, eventIds } = relatedTo(ledger, subject);
  const steps = [
    ...requestSteps(ledger, sends),
    ...publishSteps(ledger, subject, eventIds),
    ...[...origins].flatMap((origin) => acceptance(ledger, origin)),
    ...[...eventIds].flatMap((eventId) => deliverySteps(ledger, eventId)),
    ...[...eventIds].flatMap((eventId) => arrivalSteps(ledger, eventId)),
    ...[...eventIds].flatMap((eventId) => changeSteps(ledger, eventId)),
  ];
  const first = Math.min(...steps.flatMap(({ atMs }) => (atMs === undefined ? [] : [atMs])));
  const last = Math.max(...steps.flatMap(({ atMs }) => (atMs === undefined ? [] : [atMs])));
  const faults = ledger.history.faults
    .filter((fault) => fault.settledAtMs >= first && fault.atMs <= last)
    .map(({ what, atMs, settledAtMs }) => ({ atMs, what: `fault: ${what}, ${settled(settledAtMs)}` }));
  return [
    ...inOrder([...steps, ...faults]).map(
      ({ atMs, what }) => `${atMs === undefined ? ' '.repeat(15) : time(atMs)}  ${what}`,
    ),
    ...[...eventIds].map((eventId) => shown(ledger, eventId)),
  ];
}

function requestSteps(ledger: Ledger, sends: readonly Send[]): Step[] {
  const steps: Step[] = [];
  let silent: Send[] = [];
  const flush = (): void => {
    const [first, last] = [silent[0], silent.at(-1)];
    if (first !== undefined && last !== undefined) steps.push(silentSteps(first, last, silent.length));
    silent = [];
  };
  for (const send of sends) {
    if (send.status === null && !ledger.recordsByTrace.has(send.traceId)) {
      silent.push(send);
      continue;
    }
    flush();
    const answer = `${send.status ?? 'no answer'} ${send.receiptId ?? send.detail}`;
    const what = `request ${send.number} of ${send.identity} → ${answer}, at ${time(send.endedAtMs)}`;
    steps.push({ atMs: send.startedAtMs, what });
  }
  flush();
  return steps;
}

/** A sender retries while the ingress is down: all tries are one line. */
function silentSteps(first: Send, last: Send, count: number): Step {
  const which = count === 1 ? `request ${first.number}` : `requests ${first.number} to ${last.number} (${count})`;
  const what = `${which} of ${first.identity} → no answer ${last.detail}, no record, until ${time(last.endedAtMs)}`;
  return { atMs: first.startedAtMs, what };
}

/** The calls of the key, and what they have made. */
function publishSteps(ledger: Ledger, subject: Subject, eventIds: ReadonlySet<string>): Step[] {
  const events = [...eventIds].flatMap((eventId) => ledger.eventsById.get(eventId) ?? []).filter(isPublished);
  const payloads = new Set(events.map(({ payloadSha256 }) => payloadSha256));
  const publishes = ledger.history.publishes.filter(
    ({ key, payloadSha256 }) => payloads.has(payloadSha256) || ('key' in subject && key === subject.key),
  );
  return [
    ...publishes.flatMap(({ key, calls }) =>
      calls.map(({ startedAtMs, endedAtMs, status, replayed, eventId, detail }) => ({
        atMs: startedAtMs,
        what: `key ${key} → ${status ?? 'no answer'} ${eventId ?? detail}${replayed ? ', a replay' : ''}, at ${time(endedAtMs)}`,
      })),
    ),
    ...events.map(({ id, position, receivedAtMs }) => ({ atMs: receivedAtMs, what: `event ${id} at ${position}` })),
  ];
}

/** Its states, and who was shown which. */
function changeSteps({ history: { changes, pollers } }: Ledger, eventId: string): Step[] {
  return changes
    .filter((change) => change.eventId === eventId)
    .map(({ atMs, updatedAt }) => {
      const shownTo = pollers.filter(({ items }) =>
        items.some((item) => item.eventId === eventId && item.updatedAt === updatedAt),
      );
      return { atMs, what: `${eventId} changes; shown to ${shownTo.map(({ name }) => name).join(', ') || 'nobody'}` };
    });
}

function acceptance(ledger: Ledger, origin: string): Step[] {
  const records = ledger.recordsByOrigin.get(origin) ?? [];
  const receivedAtMs = records[0]?.receivedAtMs;
  return [
    ...records.map((record) => ({
      atMs: record.receivedAtMs,
      what: `received ${record.receiptId} at ${record.position}`,
    })),
    ...(ledger.eventsByOrigin.get(origin) ?? []).map((event) => ({
      atMs: receivedAtMs,
      what: `event ${event.id} at ${event.position}, from ${origin}`,
    })),
    ...(ledger.duplicatesByOrigin.get(origin) ?? []).map((duplicate) => ({
      atMs: receivedAtMs,
      what: `duplicate of ${namedIn(duplicate)} at ${duplicate.position}, from ${origin}`,
    })),
    ...(ledger.deadLettersByOrigin.get(origin) ?? []).map((deadLetter) => ({
      atMs: deadLetter.atMs,
      what: `dead letter (${deadLetter.stage}, ${deadLetter.reason}) at ${deadLetter.position}`,
    })),
  ];
}

function deliverySteps(ledger: Ledger, eventId: string): Step[] {
  const deliveries = ledger.deliveriesByEvent.get(eventId) ?? [];
  return [
    ...(ledger.fanOutsByEvent.get(eventId) ?? []).map((set) => ({
      atMs: set.atMs,
      what: `fanned out to ${set.deliveries.map(({ id, endpointId }) => `${endpointId} (${id})`).join(', ') || 'nobody'}`,
    })),
    ...deliveries.flatMap(({ id, writes }) =>
      writes.map(({ position }) => ({ atMs: undefined, what: `${id} written at ${position}` })),
    ),
    ...deliveries.flatMap(({ id, steps, deadLetters }) => [
      ...steps.map(({ atMs, step, kind, outcome, status, position }) => ({
        atMs,
        what: `${id} step ${step}: ${kind}, ${outcome ?? 'no send'} → ${status} at ${position}`,
      })),
      ...deadLetters.map(({ atMs, reason, position }) => ({
        atMs,
        what: `${id} dead letter (${reason}) at ${position}`,
      })),
    ]),
  ];
}

function arrivalSteps(ledger: Ledger, eventId: string): Step[] {
  return [...ledger.endpoints.keys()].flatMap((endpointId) =>
    (ledger.arrivalsByPair.get(pairOf(eventId, endpointId)) ?? []).map((arrival) => ({
      atMs: arrival.atMs,
      what: `${endpointId} got it (attempt ${arrival.attempt}) → ${arrival.answered ?? 'no answer'}`,
    })),
  );
}

function shown(ledger: Ledger, eventId: string): string {
  const event = ledger.apiById.get(eventId);
  if (event === undefined) return `the API does not list ${eventId}`;
  const deliveries = event.deliveries.map(({ id, status, attempts }) => `${id} ${status} after ${attempts}`);
  return `the API: ${eventId} ${event.status}, ${event.duplicates} duplicates, ${deliveries.join(', ') || 'no deliveries'}`;
}

/** By time; a step without one stays behind the step before it. */
function inOrder(steps: readonly Step[]): Step[] {
  let lastMs = 0;
  return steps
    .map((step) => ({ step, sortMs: (lastMs = step.atMs ?? lastMs) }))
    .sort((a, b) => a.sortMs - b.sortMs)
    .map(({ step }) => step);
}

const settled = (atMs: number): string => (Number.isFinite(atMs) ? `over at ${time(atMs)}` : 'not over');

/** The time of the day, in UTC, with microseconds. */
function time(ms: number): string {
  return formatMicros(Math.round(ms * 1000)).slice(11, 26);
}

import { hash } from 'node:crypto';
import { formatMicros } from '#lib/runtime';
import type { Call, History } from './history.ts';

interface Step {
  atMs: number;
  says: string;
}

/** All that is known of a key, in order of time: each request with its answer, what is there, and what was done to the system meanwhile. */
export function explain(history: History, number: number): string[] {
  const intent = history.intents.find((each) => each.number === number);
  if (intent === undefined) return [];
  const calls = history.calls.filter((call) => call.intent === number);
  const { mark, tenant, key, path } = intent;
  const events = history.rows.events.filter((row) => row.mark === mark);
  const endpoints = history.rows.endpoints.filter((row) => row.mark === mark);
  const records = history.rows.records.filter((row) => row.tenant === tenant && row.keyHash === keyHashOf(key));
  const from = Math.min(...calls.map(({ startedAtMs }) => startedAtMs));
  const until = Math.max(...calls.map(({ endedAtMs }) => endedAtMs));
  const steps: Step[] = [
    ...calls.flatMap(stepsOf),
    ...events.map(({ id, receivedAtMs }) => ({ atMs: receivedAtMs, says: `${id} is written` })),
    ...history.faults
      .filter(({ atMs, settledAtMs }) => settledAtMs >= from && atMs <= until)
      .map(({ what, atMs, settledAtMs }) => ({ atMs, says: `fault: ${what}, over at ${time(settledAtMs)}` })),
  ];
  return [
    `key ${key} of ${tenant}, POST ${path}:`,
    ...steps.sort((a, b) => a.atMs - b.atMs).map(({ atMs, says }) => `${time(atMs)}  ${says}`),
    `rows: ${[...events, ...endpoints].map(({ id }) => id).join(', ') || 'none'}; records: ${records.length}`,
    ...events.map(({ id }) => {
      const positions = history.published.filter((entry) => entry.id === id).map(({ position }) => position);
      return `${id} on the topic: ${positions.join(', ') || 'nowhere'}`;
    }),
  ];
}

/** As the store knows the key. */
export const keyHashOf = (key: string): string => hash('sha256', Buffer.from(key, 'latin1'));

function stepsOf({
  process,
  altered,
  startedAtMs,
  endedAtMs,
  status,
  replayed,
  id,
  detail,
  answerSha256,
}: Call): Step[] {
  const what = `${altered ? 'another body' : 'asked'} at ${process}`;
  const answer = [status ?? 'no answer', replayed && 'replayed', id, detail, answerSha256.slice(0, 8)].filter(Boolean);
  return [
    { atMs: startedAtMs, says: what },
    { atMs: endedAtMs, says: `${what} at ${time(startedAtMs)} → ${answer.join(' ')}` },
  ];
}

/** The time of the day, in UTC. */
const time = (ms: number): string =>
  Number.isFinite(ms) ? formatMicros(Math.round(ms * 1_000)).slice(11, 23) : 'never';

import { html, type Html } from '#lib/html';
import { inWords } from './text.ts';

type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'idle';

/** Each has a shape of its own: the colour only repeats what word and shape say. */
const shapes: Readonly<Record<Tone, string>> = { good: '✓', bad: '✕', warn: '▲', busy: '…', idle: '■' };

/** The statuses of the API, whatever has them. All others are idle. */
const statuses: Readonly<Record<Exclude<Tone, 'idle'>, readonly string[]>> = {
  good: ['active', 'closed', 'completed', 'delivered', 'enabled', 'replayed'],
  bad: ['dead', 'dead_lettered', 'failed', 'failing', 'open'],
  warn: ['deprecated', 'half_open', 'parked', 'paused', 'retrying'],
  busy: ['cancelling', 'pending', 'processing', 'queued', 'received', 'running', 'sent', 'waiting'],
};
const toneOf = (status: string): Tone =>
  (['good', 'bad', 'warn', 'busy'] as const).find((tone) => statuses[tone].includes(status)) ?? 'idle';

/** @param label in place of the status itself */
export const statusBadge = (status: string, label = inWords(status), tone = toneOf(status)): Html =>
  html`<span class="badge badge-${tone}"><span aria-hidden="true">${shapes[tone]}</span> ${label}</span>`;

/** The outcome of a send, as the API tells it of attempts, and of the last attempt of deliveries. */
export interface Outcome {
  outcome: string | null;
  httpStatus: number | null;
}

const words: Readonly<Record<string, string>> = {
  delivered: 'Delivered',
  http_4xx: 'Refused',
  http_5xx: 'Failed',
  redirect: 'Redirect',
  timeout: 'Timeout',
  connect: 'No connection',
  tls: 'TLS failed',
  blocked: 'Address blocked',
};

/** `HTTP 500`, or why there was no answer. Undefined: nothing was sent, or by a version that did not record it. */
function outcomeText({ outcome, httpStatus }: Outcome): string | undefined {
  if (httpStatus !== null) return `HTTP ${httpStatus}`;
  return outcome === null ? undefined : (words[outcome] ?? inWords(outcome));
}

/** The same, with a sign for good or bad. */
export function outcomeBadge(given: Outcome): Html {
  const text = outcomeText(given);
  if (text === undefined) return html`–`;
  return given.outcome === 'delivered' ? statusBadge('delivered', text, 'good') : statusBadge('failed', text, 'bad');
}

/** The detail: the cause, and the code it begins with as words. Undefined where the status says it all. */
export const detailText = (detail: string | null, httpStatus: number | null): string | undefined =>
  detail === null || detail === `answered ${httpStatus}`
    ? undefined
    : detail.replace(/^[a-z]+(_[a-z]+)+(?=$|: )/, inWords);

/** Outcomes as choices of a filter. */
export const outcomeOptions = (Object.keys(words) as readonly string[]).map((value) => ({
  value,
  label: value.startsWith('http_') ? `HTTP ${value.slice('http_'.length)}` : (words[value] ?? value),
}));

import { html, type Html } from '#lib/html';
import { endpointName, sourceName } from '../../parts/named-link.ts';
import { statusBadge } from '../../parts/status-badge.ts';
import { time } from '../../parts/time.ts';
import type { Replay } from '../../routes/replays/replay.ts';

type Naming = Parameters<typeof endpointName>[1];

/** Why an item could not be sent. */
const failureWords: Readonly<Record<string, string>> = {
  batch_undecodable: 'its batch still can’t be decoded',
  payload_expired: 'its payload has been removed',
  endpoint_deleted: 'its endpoint was deleted',
  endpoint_disabled: 'its endpoint is disabled',
};

export const failureWord = (reason: string | null): string =>
  reason === null ? '–' : (failureWords[reason] ?? reason.replaceAll('_', ' '));

/** One word that is true: a replay of which nothing arrived has not gone well. */
export function replayBadge({ status, operation, failed, outcome }: Replay): Html {
  if (status === 'partial') return statusBadge(status, 'ended at its limit', 'warn');
  if (status !== 'completed' || operation === 'cancel_deliveries') return statusBadge(status);
  const { delivered = 0, dead_lettered: dead = 0, cancelled = 0 } = outcome ?? {};
  if (failed + dead + cancelled === 0) return statusBadge(status);
  return delivered > 0
    ? statusBadge(status, 'some not delivered', 'warn')
    : statusBadge(status, 'nothing delivered', 'bad');
}

/** The replay's request, in lines: the members of the filter first, then the rest. */
export function requestWords(request: Readonly<Record<string, unknown>>, naming: Naming): Html {
  const { filter = {}, ...rest } = request;
  const lines = [
    ...Object.entries(filter as object),
    ...Object.entries(rest).filter(([name]) => !saidElsewhere.includes(name)),
  ].map(([name, value]) => html`<li>${inPlainWords(name)} ${named(name, value, naming) ?? valueWords(value)}</li>`);
  return lines.length === 0 ? html`–` : html`<ul class="asked-for">${lines}</ul>`;
}

/** By the page itself: the rate, and the time of the preview. */
const saidElsewhere = ['rate_per_second', 'as_of', 'dry_run'];

const inPlainWords = (name: string): string => (memberWords[name] ?? name).replaceAll('_', ' ');

/** Members that are shown by the name of what they lead to. */
const memberWords: Readonly<Record<string, string>> = { endpoint_id: 'endpoint', source_id: 'source' };

function named(member: string, value: unknown, naming: Naming): Html | undefined {
  if (typeof value !== 'string') return undefined;
  if (member === 'endpoint_id') return endpointName(value, naming);
  return member === 'source_id' ? sourceName(value, naming) : undefined;
}

const shownValues = 5;

/** RFC 3339. */
const instant = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

function valueWords(value: unknown): Html {
  if (typeof value === 'string' && instant.test(value)) return time(value);
  return html`<code>${textOf(value)}</code>`;
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) {
    const more = value.length - shownValues;
    return value.slice(0, shownValues).map(String).join(', ') + (more > 0 ? ` and ${more} more` : '');
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}

import { attemptOutcomes, deliveryStatuses, eventStatuses } from '#lib/contract';
import { html, type Html } from '#lib/html';
import type { FieldError } from '../api-calls/console-api.ts';
import type { TenantNames } from '../api-calls/tenant-names.ts';
import { deadLetterFilters } from '../dead-letters/index.ts';
import { hasFilter } from '../events/index.ts';
import type { TenantContext } from '../page.ts';
import { numberIn, textField } from '../ui/form.ts';
import { type Filter, filterFields } from '../ui/lists.ts';
import { endpointOptions, sourceOptions } from '../ui/text.ts';

/** Where a preview begins. */
export const bulkChoice = ({ t, isCustomer }: Pick<TenantContext, 't' | 'isCustomer'>): Html => {
  const choice = (what: string, label: string): Html =>
    html`<li><a href="${t}/replays/new?what=${what}">${label}</a></li>`;
  return html`<p>Each choice starts with a preview.</p>
<ul class="links">${!isCustomer && choice('dead_letters', 'Replay dead letters')}${choice('events', 'Replay events')}${choice('retry', 'Retry deliveries')}${!isCustomer && choice('cancel', 'Cancel deliveries')}</ul>`;
};

/** The form of the replay's filter and rate: a GET, since it only counts again. */
export function selectionForm(
  { t, query, isCustomer }: TenantContext,
  selection: Selection,
  names: TenantNames,
  errors: readonly FieldError[],
): Html {
  const { kind, ids, failedOf, rate, limit } = selection;
  const { resources, list } = bulkKinds[kind];
  return html`<form class="filters" action="${t}/replays/new">
<input type="hidden" name="what" value="${kind}">${ids.map((id) => html`<input type="hidden" name="id" value="${id}">`)}${
    failedOf !== null && html`<input type="hidden" name="failed_of" value="${failedOf}">`
  }
${filtersOf(selection, names, query)
  .filter(({ name }) => !(isCustomer && name === 'source_id'))
  .map((filter) => filterFields(filter, query, errors))}
${rate !== undefined && textField({ name: 'rate_per_second', label: 'Rate per second', value: rate, type: 'text', errors })}
${textField({ name: 'limit', label: 'Limit', value: limit ?? '', errors })}
<div class="filter-buttons"><button>Count again</button><a href="${t}${list}">Back to the ${resources}</a></div>
</form>`;
}

function filtersOf({ kind }: Selection, names: TenantNames, query: URLSearchParams): readonly Filter[] {
  const endpoint = (name: string, label: string): Filter => ({
    kind: 'choice',
    name,
    label,
    options: endpointOptions(names, query.get(name)),
  });
  switch (kind) {
    case 'dead_letters':
      return deadLetterFilters(names, query);
    case 'events':
      return [
        { kind: 'text', name: 'type', label: 'Event type' },
        { kind: 'choice', name: 'source_id', label: 'Source', options: sourceOptions(names, query.get('source_id')) },
        { kind: 'choice', name: 'status', label: 'Status', options: eventStatuses },
        endpoint('endpoint_id', 'With a delivery to'),
        hasFilter,
        { kind: 'text', name: 'tag', label: 'Tag', isRepeated: true },
        // Rare ones: shown when they are asked for.
        ...(
          [
            ['event_id', 'Sender’s id'],
            ['receipt_id', 'Receipt'],
            ['ordering_key', 'Ordering key'],
            ['trace_id', 'Trace'],
          ] as const
        ).flatMap(([name, label]): Filter[] => (query.has(name) ? [{ kind: 'text', name, label }] : [])),
        { kind: 'time', name: 'received_since', label: 'Received from' },
        { kind: 'time', name: 'received_until', label: 'Received until' },
        endpoint('to_endpoint', 'Send to'),
      ];
    case 'retry':
    case 'cancel':
      return [
        endpoint('endpoint_id', 'Endpoint'),
        { kind: 'choice', name: 'status', label: 'Status', options: deliveryStatuses },
        { kind: 'text', name: 'event_type', label: 'Event type' },
        { kind: 'choice', name: 'outcome', label: 'Last outcome', options: attemptOutcomes },
        { kind: 'text', name: 'http_status', label: 'Last HTTP status' },
        { kind: 'time', name: 'since', label: 'From' },
        { kind: 'time', name: 'until', label: 'Until' },
      ];
  }
}

/** The selection of a replay by filter, as the address of its preview says it, and as the API is asked for it. */

/** The operations on what matches: what each is called, what it does, and its filters. */
export const bulkKinds = {
  dead_letters: {
    name: 'POST /v1/dead-letters/replay',
    verb: 'Replay',
    counted: ['dead letter', 'dead letters'],
    resources: 'dead letters',
    list: '/dead-letters',
    start: 'Start replay of',
    does: 'Each is sent again with a whole new retry window, oldest first.',
    nothing:
      'No replayable dead letter matches all filters. Dead letters that were replayed, or are being replayed, are excluded.',
    filters: ['endpoint_id', 'event_type', 'source_id', 'reason', 'stage', 'since', 'until'],
  },
  events: {
    name: 'POST /v1/events/replay',
    verb: 'Replay',
    counted: ['delivery', 'deliveries'],
    resources: 'events',
    list: '/events',
    start: 'Start replay of',
    does: 'Each event is sent again to the endpoints that match it today, with a whole new retry window.',
    nothing: 'No event matches all filters, or no endpoint gets those that do.',
    filters: [
      'type',
      'source_id',
      'status',
      'event_id',
      'receipt_id',
      'endpoint_id',
      'ordering_key',
      'trace_id',
      'tag',
      'has',
      'received_since',
      'received_until',
    ],
  },
  retry: {
    name: 'POST /v1/deliveries/retry',
    verb: 'Retry',
    counted: ['delivery', 'deliveries'],
    resources: 'deliveries',
    list: '/deliveries',
    start: 'Start retry of',
    does: 'Deliveries that wait become due now; dead-lettered ones are sent again with a whole new retry window.',
    nothing: 'No waiting or dead-lettered delivery matches all filters.',
    filters: ['endpoint_id', 'status', 'event_type', 'outcome', 'http_status', 'since', 'until'],
  },
  cancel: {
    name: 'POST /v1/deliveries/cancel',
    verb: 'Cancel',
    counted: ['delivery', 'deliveries'],
    resources: 'deliveries',
    list: '/deliveries',
    start: 'Cancel',
    does: 'These deliveries end as cancelled within seconds, unless the attempt in flight succeeds. They are not sent any more.',
    nothing: 'No open delivery matches all filters.',
    filters: ['endpoint_id', 'status', 'event_type', 'outcome', 'http_status', 'since', 'until'],
  },
} as const;

type BulkKind = keyof typeof bulkKinds;

/** The parameters that an address may have several times. */
const repeated = ['tag', 'has'];

/** Beside the filters: ids of dead letters, the replay whose failed ones are meant, the endpoint that events are sent to, and how. */
const others = ['what', 'id', 'failed_of', 'to_endpoint', 'rate_per_second', 'limit'];

/** All that the address of a preview may have. */
export const selectionParameters: readonly string[] = [
  ...others,
  ...new Set(Object.values(bulkKinds).flatMap(({ filters }): readonly string[] => filters)),
];

/** Protects a receiver that has just recovered; the form shows it. */
const usualRate = '10';

export interface Selection {
  kind: BulkKind;
  filter: Readonly<Record<string, string | string[]>>;
  /** Dead letters by their ids. */
  ids: readonly string[];
  /** The replay whose failed ones are chosen. */
  failedOf: string | null;
  /** Events are sent to this endpoint alone. */
  toEndpoint: string | null;
  /** As entered. Undefined: none. */
  rate: string | undefined;
  limit: string | null;
}

export function readSelection(query: URLSearchParams): Selection | { errors: readonly FieldError[] } {
  const what = query.get('what') ?? '';
  const kind = (Object.keys(bulkKinds) as BulkKind[]).find((name) => name === what);
  if (kind === undefined)
    return { errors: [{ field: 'what', message: `must be one of ${Object.keys(bulkKinds).join(', ')}` }] };
  const known: readonly string[] = bulkKinds[kind].filters;
  const ofOthers = [...new Set(query.keys())].filter(
    (name) =>
      !known.includes(name) &&
      (!others.includes(name) ||
        (name === 'to_endpoint' && kind !== 'events') ||
        ((name === 'id' || name === 'failed_of') && kind !== 'dead_letters')),
  );
  if (ofOthers.length > 0)
    return { errors: ofOthers.map((field) => ({ field, message: `is no filter of ${bulkKinds[kind].resources}` })) };
  return {
    kind,
    filter: Object.fromEntries(
      known.flatMap((name): [string, string | string[]][] => {
        const values = query.getAll(name);
        const [first] = values;
        if (first === undefined) return [];
        return [[name, repeated.includes(name) && values.length > 1 ? values : first]];
      }),
    ),
    ids: query.getAll('id'),
    failedOf: query.get('failed_of'),
    toEndpoint: query.get('to_endpoint'),
    rate: kind === 'cancel' ? undefined : (query.get('rate_per_second') ?? usualRate),
    limit: query.get('limit'),
  };
}

/** @param until dead letters later than this are not taken. @param ids in place of `failed_of` */
export function bodyOf(
  { kind, filter, toEndpoint, rate, limit }: Selection,
  { until, ids }: { until: string; ids: readonly string[] },
): Record<string, unknown> {
  const how = {
    ...(rate !== undefined && { rate_per_second: numberIn(rate) }),
    ...(limit !== null && { limit: numberIn(limit) }),
  };
  if (kind === 'dead_letters')
    return { ...filter, ...(ids.length > 0 && { ids }), until: earlier(filter['until'], until), ...how };
  const isAny = Object.keys(filter).length > 0;
  return { ...(isAny ? { filter } : { all: true }), ...(toEndpoint !== null && { endpoint_id: toEndpoint }), ...how };
}

/** A time that can’t be read is left to the API. */
const earlier = (given: string | string[] | undefined, now: string): unknown =>
  given === undefined || Date.parse(String(given)) > Date.parse(now) ? now : given;

/** The field of the form that the API means. */
export function formField(field: string, { kind }: Selection): string {
  if (field === '/endpoint_id' && kind === 'events') return 'to_endpoint';
  return field.replace(/^\/(filter\/)?/, '');
}

/**
 * The settings of an endpoint as the fields of a form: a text each, by the name that the API has for it. A list is a line for each entry. The
 * form is read, compared and shown again as these texts, so that what was entered is kept whatever is wrong with it.
 */
import type { Endpoint } from '../../routes/endpoints/endpoint.ts';

/** The label of each field; a group is one setting of the API. */
export const formFields = {
  url: { label: 'URL' },
  description: { label: 'Description' },
  event_types: { label: 'Event types', isList: true },
  source_ids: { label: 'Sources', isList: true },
  filter: { label: 'Filter' },
  method: { label: 'Method' },
  headers: { label: 'Headers' },
  pass_headers: { label: 'Headers of the provider that are passed on', isList: true },
  proxy: { label: 'Proxy' },
  'client_certificate/certificate': { label: 'Client certificate', group: 'client_certificate' },
  'client_certificate/private_key': { label: 'Its private key', group: 'client_certificate' },
  remove_certificate: { label: 'Remove the client certificate', group: 'client_certificate' },
  ed25519: { label: 'Ed25519 signature' },
  timeout_ms: { label: 'Time-out, in ms' },
  max_in_flight: { label: 'Most requests at once' },
  ordered: { label: 'Ordered' },
  'rate_limit/per_second': { label: 'Requests per second', group: 'rate_limit' },
  'rate_limit/burst': { label: 'Burst', group: 'rate_limit' },
  retry_kind: { label: 'Retries', group: 'retry' },
  'retry/base_seconds': { label: 'First wait at most, in seconds', group: 'retry' },
  'retry/cap_seconds': { label: 'Longest wait, in seconds', group: 'retry' },
  'retry/max_attempts': { label: 'Most attempts', group: 'retry' },
  'retry/window_seconds': { label: 'Give up after, in seconds', group: 'retry' },
  'retry/schedule': { label: 'Waits, in seconds', group: 'retry', isList: true },
  'retry/jitter': { label: 'Jitter, 0 to 1', group: 'retry' },
} as const satisfies Record<string, { label: string; group?: string; isList?: boolean }>;

export type FormField = keyof typeof formFields;
export type FormValues = Readonly<Record<FormField, string>>;

export const fieldNames = Object.keys(formFields) as readonly FormField[];
const isList = (name: FormField): boolean => 'isList' in formFields[name];

export const linesOf = (text: string): readonly string[] => [
  ...new Set(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  ),
];

const filled = (given: Partial<FormValues>): FormValues =>
  Object.fromEntries(fieldNames.map((name) => [name, given[name] ?? ''])) as unknown as FormValues;

/** The values of a new endpoint. Empty ones have their default. */
export const newValues = filled({ method: 'POST', retry_kind: 'backoff' });

/** Reads a form. A list may come as checkboxes and lines together. Line breaks are those of the text, not of the browser. */
export const valuesOfForm = (form: URLSearchParams): FormValues =>
  filled(
    Object.fromEntries(
      fieldNames.map((name) => {
        const text = form.getAll(name).join('\n').replaceAll('\r\n', '\n');
        // The waits of a schedule may be equal, and have an order.
        return [name, isList(name) && name !== 'retry/schedule' ? linesOf(text).join('\n') : text.trim()];
      }),
    ),
  );

/** The values of an endpoint as it is. */
export function valuesOfEndpoint(endpoint: Endpoint): FormValues {
  const { retry, rate_limit: rateLimit, filter } = endpoint;
  const number = (value: number | undefined): string => (value === undefined ? '' : String(value));
  return filled({
    url: endpoint.url,
    description: endpoint.description,
    event_types: endpoint.event_types.join('\n'),
    source_ids: endpoint.source_ids.join('\n'),
    filter: filter === null || filter === undefined ? '' : JSON.stringify(filter, null, 2),
    method: endpoint.method,
    headers: Object.entries(endpoint.headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
    pass_headers: endpoint.pass_headers.join('\n'),
    proxy: endpoint.proxy ?? '',
    ed25519: endpoint.ed25519 ? '1' : '',
    timeout_ms: number(endpoint.timeout_ms),
    max_in_flight: number(endpoint.max_in_flight),
    ordered: endpoint.ordered ? '1' : '',
    'rate_limit/per_second': number(rateLimit?.per_second),
    'rate_limit/burst': number(rateLimit?.burst),
    retry_kind: retry.schedule === undefined ? 'backoff' : 'schedule',
    'retry/base_seconds': number(retry.base_seconds),
    'retry/cap_seconds': number(retry.cap_seconds),
    'retry/max_attempts': number(retry.max_attempts),
    'retry/window_seconds': number(retry.window_seconds),
    'retry/schedule': (retry.schedule ?? []).join('\n'),
    'retry/jitter': number(retry.jitter),
  });
}

/** Whether both would be the same setting: the order of event types and sources means nothing. */
export function isSameValue(name: FormField, one: string, other: string): boolean {
  if (!isList(name) || name === 'retry/schedule') return one.trim() === other.trim();
  const sorted = (text: string): string => [...linesOf(text)].sort().join('\n');
  return sorted(one) === sorted(other);
}

import type { Endpoint } from '#lib/api-contract';
import { endpointDefaults, scheduleDefaults, usualEndpointLimits } from '#lib/contract';
import { html, type Html } from '#lib/html';
import type { FieldError } from '../api-calls/console-api.ts';
import type { TenantContext } from '../page.ts';
import { checkbox, checkGroup, fieldId, selectField, textArea, textField } from '../ui/form.ts';
import { count } from '../ui/text.ts';
import { milliseconds, time } from '../ui/times.ts';

/**
 * The settings of an endpoint as the fields of a form: a text each, by the name that the API has for it. A list is a line for each entry. The
 * form is read, compared and shown again as these texts, so that what was entered is kept whatever is wrong with it.
 */

interface Field {
  label: string;
  /** The setting of the API that it is a part of. By default it is one. */
  group?: string;
  /** Default: text. */
  kind?: 'lines' | 'number' | 'flag';
  /** Its row of the endpoint's page, where the page shows no more than the value. */
  row?(endpoint: Endpoint): readonly [label: string, value: string];
}

/** The console has everything about a setting here, but for its place in the form and for the settings of several values. */
export const formFields = {
  url: { label: 'URL' },
  description: { label: 'Description' },
  event_types: { label: 'Event types', kind: 'lines' },
  source_ids: { label: 'Sources', kind: 'lines' },
  filter: { label: 'Filter' },
  method: { label: 'Method', row: ({ method }) => ['Method', method] },
  headers: { label: 'Headers' },
  pass_headers: { label: 'Headers of the provider that are passed on', kind: 'lines' },
  proxy: { label: 'Proxy' },
  'client_certificate/certificate': { label: 'Client certificate', group: 'client_certificate' },
  'client_certificate/private_key': { label: 'Its private key', group: 'client_certificate' },
  remove_certificate: { label: 'Remove the client certificate', group: 'client_certificate' },
  ed25519: { label: 'Ed25519 signature', kind: 'flag' },
  timeout_ms: { label: 'Time-out, in ms', kind: 'number', row: ({ timeout_ms: ms }) => ['Time-out', milliseconds(ms)] },
  max_in_flight: {
    label: 'Most requests at once',
    kind: 'number',
    row: ({ max_in_flight: most }) => ['Most requests at once', count(most)],
  },
  ordered: {
    label: 'Ordered',
    kind: 'flag',
    row: ({ ordered }) => ['Order', ordered ? 'one after another, by ordering key' : 'any'],
  },
  'rate_limit/per_second': { label: 'Requests per second', group: 'rate_limit' },
  'rate_limit/burst': { label: 'Burst', group: 'rate_limit' },
  retry_kind: { label: 'Retries', group: 'retry' },
  'retry/base_seconds': { label: 'First wait at most, in seconds', group: 'retry' },
  'retry/cap_seconds': { label: 'Longest wait, in seconds', group: 'retry' },
  'retry/max_attempts': { label: 'Most attempts', group: 'retry' },
  'retry/window_seconds': { label: 'Give up after, in seconds', group: 'retry' },
  'retry/schedule': { label: 'Waits, in seconds', group: 'retry', kind: 'lines' },
  'retry/jitter': { label: 'Jitter, 0 to 1', group: 'retry' },
} as const satisfies Record<string, Field>;

export type FormField = keyof typeof formFields;
export type FormValues = Readonly<Record<FormField, string>>;

export const fieldNames = Object.keys(formFields) as readonly FormField[];
export const fieldOf = (name: FormField): Field => formFields[name];
const isList = (name: FormField): boolean => fieldOf(name).kind === 'lines';

/** The rows of an endpoint's page that show one value each. */
export const rowsOf = (endpoint: Endpoint): (readonly [label: string, value: string])[] =>
  fieldNames.map((name) => fieldOf(name).row?.(endpoint)).filter((row) => row !== undefined);

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
  const { retry, rate_limit: rateLimit, filter, headers } = endpoint;
  return filled({
    ...plainValues(endpoint),
    ...plainValues(rateLimit, 'rate_limit/'),
    ...plainValues(retry, 'retry/'),
    filter: filter === null || filter === undefined ? '' : JSON.stringify(filter, null, 2),
    headers: Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
    retry_kind: retry.schedule === undefined ? 'backoff' : 'schedule',
  });
}

/** The members that are one value, or a list of texts, by their names in the form. */
const plainValues = (given: object = {}, group = ''): Partial<FormValues> =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [group + name, plainText(value)]));

function plainText(value: unknown): string {
  if (typeof value === 'boolean') return value ? '1' : '';
  if (Array.isArray(value)) return value.join('\n');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Whether both would be the same setting: the order of event types and sources means nothing. */
export function isSameValue(name: FormField, one: string, other: string): boolean {
  if (!isList(name) || name === 'retry/schedule') return one.trim() === other.trim();
  const sorted = (text: string): string => [...linesOf(text)].sort().join('\n');
  return sorted(one) === sorted(other);
}

/** The choices; anything else can be entered. */
export interface Choices {
  eventTypes: readonly string[];
  /** Which these are, as a sentence. */
  whichTypes: string;
  sources: readonly { value: string; label: string }[];
}

interface Given {
  values: FormValues;
  errors: readonly FieldError[];
  choices: Choices;
  /** The one that is changed. */
  endpoint?: Endpoint | undefined;
}

/** A customer sets these; the rest is the operator's. */
const ofCustomers: readonly FormField[] = ['url', 'description', 'event_types', 'filter'];

type Asking = Pick<TenantContext, 'isCustomer'>;

/** The form of an endpoint for who asks. The rare settings are folded, unless something in them is set or wrong. */
export const fieldsFor = ({ isCustomer }: Asking, given: Given): Html =>
  isCustomer
    ? html`${whatItGets(given)}
${filterField(given)}`
    : html`${whatItGets(given)}
${sourceChoice(given)}
${filterField(given)}
${folded(given)}`;

/** The settings that the form does not have, as they are. */
export const fieldsNotShown = ({ isCustomer }: Asking, values: FormValues): Partial<FormValues> =>
  isCustomer
    ? Object.fromEntries(Object.entries(values).filter(([name]) => !ofCustomers.includes(name as FormField)))
    : {};

function whatItGets(given: Given): Html {
  const { values, choices } = given;
  const { text } = fieldsOf(given);
  const types = linesOf(values.event_types);
  const known = choices.eventTypes;
  return html`${text('url', { type: 'url', isRequired: true, hint: 'Where events are posted to, such as https://example.com/hooks.' })}
${text('description', { hint: 'A name for people.' })}
${
  known.length > 0 &&
  checkGroup({
    name: 'event_types',
    label: formFields.event_types.label,
    hint: `${choices.whichTypes} None: all types.`,
    options: known.map((value) => ({ value, label: value })),
    chosen: types,
    errors: given.errors,
  })
}
${textArea({
  name: 'event_types',
  label: known.length > 0 ? 'Other event types' : formFields.event_types.label,
  hint: `One a line; ${known.length > 0 ? '' : 'none: all types; '}invoice.* matches all types that begin with “invoice.”, and orders/* those that begin with “orders/”.`,
  value: types.filter((type) => !known.includes(type)).join('\n'),
  rows: 2,
  errors: given.errors,
})}`;
}

const sourceChoice = ({ values, choices, errors }: Given): Html =>
  checkGroup({
    name: 'source_ids',
    label: formFields.source_ids.label,
    hint: 'Only events of these sources. None chosen: all sources.',
    options: withChosen(choices.sources, linesOf(values.source_ids)),
    chosen: linesOf(values.source_ids),
    errors,
  });

const filterField = (given: Given): Html =>
  fieldsOf(given).area('filter', {
    hint: 'A condition on the payload, as JSON, such as {"data.amount": {"$gt": 1000}}. Empty: all payloads.',
  });

const folded = (
  given: Given,
): Html => html`${fold('How it is sent', given, ['method', 'timeout_ms', 'max_in_flight', 'ordered', 'rate_limit/per_second', 'rate_limit/burst'], sending(given))}
${fold('Retries', given, ['retry_kind', 'retry/base_seconds', 'retry/cap_seconds', 'retry/max_attempts', 'retry/window_seconds', 'retry/schedule', 'retry/jitter'], retries(given))}
${fold('Headers, proxy and certificate', given, ['headers', 'pass_headers', 'proxy', 'client_certificate/certificate', 'client_certificate/private_key', 'ed25519'], privateFields(given, given.endpoint))}`;

/** One that was deleted since is still chosen. */
const withChosen = (options: Choices['sources'], chosen: readonly string[]): Choices['sources'] => [
  ...options,
  ...chosen
    .filter((id) => !options.some(({ value }) => value === id))
    .map((id) => ({ value: id, label: `${id} (deleted)` })),
];

interface More {
  hint?: string;
  isRequired?: boolean;
  type?: 'url' | 'text';
  rows?: number;
}

function fieldsOf({ values, errors }: Given) {
  const common = (name: FormField) => ({ name, label: formFields[name].label, value: values[name], errors });
  return {
    text: (name: FormField, more: More = {}): Html => textField({ ...common(name), ...more }),
    area: (name: FormField, more: More = {}): Html => textArea({ ...common(name), rows: 3, ...more }),
    select: (name: FormField, options: readonly { value: string; label: string }[]): Html =>
      selectField({ ...common(name), options }),
    check: (name: FormField, label: string): Html => checkbox({ name, label, isChecked: values[name] !== '' }),
  };
}

function sending(given: Given): Html {
  const { text, select, check } = fieldsOf(given);
  const methods = ['POST', 'PUT', 'PATCH', 'DELETE'].map((value) => ({ value, label: value }));
  return html`${select('method', methods)}
<div class="side-by-side">${text('timeout_ms', { hint: `Default: ${endpointDefaults.timeout_ms}.` })}${text('max_in_flight', { hint: `Default: ${endpointDefaults.max_in_flight}.` })}</div>
<div class="side-by-side" id="${fieldId('rate_limit')}">${text('rate_limit/per_second', { hint: 'Default: no limit.' })}${text('rate_limit/burst')}</div>
${check('ordered', 'Events with the same ordering key are sent one after another')}`;
}

function retries(given: Given): Html {
  const { text, area, select } = fieldsOf(given);
  const { retry: usualRetry } = endpointDefaults;
  return html`<div class="fields" id="${fieldId('retry')}">${select('retry_kind', [
    { value: 'backoff', label: 'Backoff: random waits, up to twice as long each time' },
    { value: 'schedule', label: 'Schedule: a wait for each retry' },
  ])}
<fieldset class="fields"><legend>Backoff</legend>
<div class="side-by-side">${text('retry/base_seconds', { hint: `Default: ${usualRetry.base_seconds}. At least ${usualEndpointLimits.minRetrySeconds}, unless the operator allows less.` })}${text('retry/cap_seconds', { hint: `Default: ${usualRetry.cap_seconds}.` })}</div>
<div class="side-by-side">${text('retry/max_attempts', { hint: 'Default: as many as fit into the window.' })}${text('retry/window_seconds', { hint: `Default: ${usualRetry.window_seconds}.` })}</div></fieldset>
<fieldset class="fields"><legend>Schedule</legend>
${area('retry/schedule', { hint: `One a line: one retry after each. Each at least ${usualEndpointLimits.minRetrySeconds}, unless the operator allows less.` })}
${text('retry/jitter', { hint: `Random variation of each wait, as a share of it: 0.1 is 10 %. Default: ${scheduleDefaults.jitter}.` })}</fieldset></div>`;
}

function privateFields(given: Given, endpoint: Endpoint | undefined): Html {
  const { text, area, check } = fieldsOf(given);
  const certificate = endpoint?.client_certificate;
  const isMasked = endpoint !== undefined && Object.values(endpoint.headers).includes('***');
  return html`${area('headers', { hint: `Name: value, one a line.${isMasked ? ' *** stands for a value that is kept, and not shown.' : ''}` })}
${area('pass_headers', { hint: 'Names, or prefixes such as X-GitHub-*, one a line.' })}
${text('proxy', { hint: 'http(s)://user:password@host:port. Its password is not shown.' })}
<div class="fields" id="${fieldId('client_certificate')}">${certificate !== undefined && html`<p class="note">There is a certificate, valid until ${time(certificate.expires_at)}, with the fingerprint <code>${certificate.fingerprint}</code>. It stays if the fields below are empty.</p>${check('remove_certificate', 'Remove it')}`}
${area('client_certificate/certificate', { hint: 'In PEM, with its chain.' })}${area('client_certificate/private_key', { hint: 'In PEM. It is not shown again.' })}</div>
${check('ed25519', 'Add an Ed25519 signature (v1a), which is verified with a public key')}`;
}

function fold(title: string, { values, errors, endpoint }: Given, names: readonly FormField[], body: Html): Html {
  const isWrong = errors.some(({ field }) =>
    names.some((name) => fieldId(field).startsWith(fieldId(name.split('/', 1)[0] ?? name))),
  );
  // A new endpoint has what was entered; one that is there has its settings, which most people don't come for.
  const isSet = endpoint === undefined && names.some((name) => values[name] !== newValues[name]);
  return html`<details class="card"${(isWrong || isSet) && html` open`}><summary>${title}</summary><div class="fields">${body}</div></details>`;
}

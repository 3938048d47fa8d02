import { html, type Html } from '#lib/html';
import type { FieldError } from '../../api-calls/console-api.ts';
import type { TenantContext } from '../../page.ts';
import { checkGroup } from '../../parts/check-group.ts';
import { checkbox, fieldId, selectField, textArea, textField } from '../../parts/fields.ts';
import { time } from '../../parts/time.ts';
import type { Endpoint } from '../../routes/endpoints/endpoint.ts';
import { type FormField, formFields, type FormValues, linesOf } from './form-values.ts';

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
<div class="side-by-side">${text('timeout_ms', { hint: 'Default: 5000.' })}${text('max_in_flight', { hint: 'Default: 10.' })}</div>
<div class="side-by-side" id="${fieldId('rate_limit')}">${text('rate_limit/per_second', { hint: 'Default: no limit.' })}${text('rate_limit/burst')}</div>
${check('ordered', 'Events with the same ordering key are sent one after another')}`;
}

function retries(given: Given): Html {
  const { text, area, select } = fieldsOf(given);
  return html`<div class="fields" id="${fieldId('retry')}">${select('retry_kind', [
    { value: 'backoff', label: 'Backoff: random waits, up to twice as long each time' },
    { value: 'schedule', label: 'Schedule: a wait for each retry' },
  ])}
<fieldset class="fields"><legend>Backoff</legend>
<div class="side-by-side">${text('retry/base_seconds', { hint: 'Default: 5. At least 1, unless the operator allows less.' })}${text('retry/cap_seconds', { hint: 'Default: 43200.' })}</div>
<div class="side-by-side">${text('retry/max_attempts', { hint: 'Default: as many as fit into the window.' })}${text('retry/window_seconds', { hint: 'Default: 259200.' })}</div></fieldset>
<fieldset class="fields"><legend>Schedule</legend>
${area('retry/schedule', { hint: 'One a line: one retry after each. Each at least 1, unless the operator allows less.' })}
${text('retry/jitter', { hint: 'Random variation of each wait, as a share of it: 0.1 is 10 %. Default: 0.' })}</fieldset></div>`;
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
  const isSet = endpoint === undefined && names.some((name) => values[name] !== (usual[name] ?? ''));
  return html`<details class="card"${(isWrong || isSet) && html` open`}><summary>${title}</summary><div class="fields">${body}</div></details>`;
}

const usual: Partial<Record<FormField, string>> = { method: 'POST', retry_kind: 'backoff' };

/** The fields of a source: which ones its scheme needs, and what a form of them means for the API. */
import type { SourceScheme } from '#lib/contract';
import { html, type Html } from '#lib/html';
import type { FieldError } from '../../api-calls/console-api.ts';
import { checkbox, selectField, textArea, textField } from '../../parts/fields.ts';
import { schemeSetups } from './scheme-setup.ts';

interface SourceFields {
  scheme: SourceScheme;
  /** The values as entered, or as saved. */
  values: URLSearchParams;
  errors: readonly FieldError[];
  /** A source that is there already: its secret is changed by rotating it. */
  isEdited: boolean;
  /** It still identifies webhooks as an older version did. */
  hasOlderDefault?: boolean;
}

export function sourceFields({ scheme, values, errors, isEdited, hasOlderDefault = false }: SourceFields): Html {
  const setup = schemeSetups[scheme];
  const field = (name: string) => ({ name, value: values.get(name) ?? '', errors });
  const rare = html`
${scheme !== 'hmac' && textField({ ...field('signature_header'), label: 'Signature header', hint: `Only if it differs from the default of the scheme, ${setup.header.split(':')[0] ?? ''}.` })}
${setup.isTimed && textField({ ...field('timestamp_tolerance_seconds'), label: 'Timestamp tolerance, in seconds', hint: 'Empty: 300.' })}
${textArea({ ...field('dedup_id'), rows: 2, label: 'Event id from', hint: 'A line each, tried in this order: header:Name, or a JSON pointer such as /data/id. ["/id","/updated_at"] joins values. Empty: the default of the scheme.' })}
${hasOlderDefault && checkbox({ name: 'dedup_default', label: `Take today’s default: the identifier counts together with ${scheme === 'hmac' ? 'the body' : 'its webhook'}`, isChecked: values.has('dedup_default') })}
${checkbox({ name: 'dedup_off', label: 'Each receipt is an event, whatever its identifier', isChecked: values.has('dedup_off') })}
${textField({ ...field('dedup_ttl_seconds'), label: 'Duplicates are recognized for, in seconds', hint: 'Empty: 259200, which is three days.' })}
${textArea({ ...field('event_type_from'), rows: 2, label: 'Event type from', hint: 'Likewise. Empty: the default of the scheme.' })}
${textArea({ ...field('ordering_key'), rows: 2, label: 'Ordering key from', hint: 'Likewise. Events of one key are delivered in their order.' })}
${textArea({ ...field('tags_from'), rows: 2, label: 'Tags', hint: 'A line each: customer = /data/customer. Events are found by their tags.' })}
${textArea({ ...field('allowed_ips'), rows: 2, label: 'Allowed addresses', hint: 'A line each: 192.0.2.7 or 192.0.2.0/24. Empty: any.' })}
${textField({ ...field('rate_limit/per_second'), label: 'Rate limit: webhooks per second', hint: 'With the next field; empty: the rate of the tenant.' })}
${textField({ ...field('rate_limit/burst'), label: 'Rate limit: burst' })}
${selectField({
  ...{ ...field('response_status'), value: values.get('response_status') ?? '202' },
  ...{
    label: 'Response status',
    options: ['202', '200', '204'].map((value) => ({ value, label: value })),
  },
})}
${checkbox({ name: 'client_certificate/required', label: 'Require a client certificate', isChecked: values.has('client_certificate/required') })}
${textArea({ ...field('client_certificate/fingerprints'), rows: 2, label: 'Fingerprints of its certificates', hint: 'SHA-256 in hex, a line each. Empty: any that your authorities have signed.' })}
${textField({ ...field('verify_token'), label: 'Verify token', hint: `Answers hub.challenge, as Meta asks it.${isEdited ? ' Empty: stays as it is.' : ''}` })}
${checkbox({ name: 'keep_rejected_bodies', label: 'Keep the bodies of rejected webhooks, to see why they were rejected', isChecked: values.has('keep_rejected_bodies') })}`;
  return html`${textField({ ...field('name'), label: 'Name', hint: 'For people: what sends, and from where.', isRequired: true })}
${!isEdited && textField({ ...field('secret'), label: 'Secret', hint: secretHint(scheme) })}
${scheme === 'hmac' && hmacFields(field)}
${(setup.needsUrl || scheme === 'hmac') && textField({ ...field('public_url'), type: 'url', label: 'URL that the provider calls', isRequired: setup.needsUrl, hint: setup.needsUrl ? `It is part of what ${setup.provider} signs, so it must be exactly the one that is entered there. If it is Hookline’s own, which is known once the source is made, correct it then.` : 'Only if it is part of what is signed.' })}
<details class="more"${hasRare(values, errors) && html` open`}><summary>More settings</summary><div class="stack">${rare}</div></details>`;
}

function secretHint(scheme: SourceScheme): string {
  const { secretFrom, provider, secret } = schemeSetups[scheme];
  return secretFrom === 'here'
    ? 'Empty: a new one is made, and shown once.'
    : `${provider} makes it: ${secret}. Empty if you don’t have it yet: it can be entered later.`;
}

const hmacFields = (field: (name: string) => { name: string; value: string; errors: readonly FieldError[] }): Html =>
  html`${textField({ ...field('hmac/header'), label: 'Signature header', hint: 'Such as X-Signature.', isRequired: true })}
${textField({ ...field('hmac/prefix'), label: 'Prefix of the signature', hint: 'Such as sha256=. Empty: nothing.' })}
${selectField({ ...field('hmac/algorithm'), label: 'Algorithm', options: choices('sha256', 'sha1', 'sha384', 'sha512') })}
${selectField({ ...field('hmac/encoding'), label: 'Encoding', options: choices('hex', 'base64', 'base64url') })}
${textField({ ...field('hmac/signed'), label: 'What is signed', hint: 'id, timestamp, url, body and words, joined: body, timestamp.body, v0:timestamp:body, url+body.', isRequired: true })}
${textField({ ...field('hmac/timestamp_header'), label: 'Timestamp header', hint: 'If the timestamp is signed.' })}
${textField({ ...field('hmac/id_header'), label: 'Id header', hint: 'If the id is signed.' })}`;

const choices = (...values: string[]) => values.map((value) => ({ value, label: value }));

const usual = ['name', 'secret', 'public_url', 'response_status'];

/** A field that is set, or wrong, must not be hidden. */
function hasRare(values: URLSearchParams, errors: readonly FieldError[]): boolean {
  const isRare = (name: string): boolean => !usual.includes(name) && !name.startsWith('hmac');
  const isSet = [...values].some(([name, value]) => value !== '' && isRare(name) && value !== shownByDefault[name]);
  return isSet || errors.some(({ field }) => field !== '' && isRare(field.replace(/^\//, '')));
}

/** The API shows these as they are by default. */
const shownByDefault: Readonly<Record<string, string>> = {
  dedup_ttl_seconds: '259200',
  timestamp_tolerance_seconds: '300',
};

import type { Source } from '#lib/api-contract';
import { dedupRules, type SourceScheme } from '#lib/contract';
import { html, type Html } from '#lib/html';
import { identityRule } from '#lib/signatures';
import { withQuery } from '../api-calls/calls.ts';
import type { FieldError } from '../api-calls/console-api.ts';
import { checkbox, enteredIn, numberIn, selectField, textArea, textField } from '../ui/form.ts';
import { schemeNames, schemeSetups } from './scheme-setup.ts';

/** The choice of the sender, which decides how signatures are verified. */
export const schemeChoice = (
  href: string,
): Html => html`<p class="lead">Who sends the webhooks? That decides how their signatures are verified.</p>
<ul class="choices">${schemeNames.map((scheme) => html`<li><a class="card" href="${href}?scheme=${scheme}"><strong>${schemeSetups[scheme].provider}</strong><span class="muted">${scheme}</span></a></li>`)}</ul>
<p class="muted">Not among them? Most sign with HMAC: choose “${schemeSetups.hmac.provider}”, and say what is signed.</p>`;

/** Notes that the owner of a source should look at. @param changedId an identifier that came back with another body */
export const sourceNotes = (source: Pick<Source, 'id' | 'advice'>, t: string, changedId: string | null = null): Html =>
  html`${source.advice.map((sentence) => html`<p class="note note-warn">${sentence}.</p>`)}${
    changedId !== null &&
    html`<p class="note note-warn">Identifiers came back with another body, such as <code>${changedId}</code>. Each was a duplicate, which no endpoint gets: <a href="${withQuery(`${t}/events`, { source_id: source.id, has: 'changed' })}">see these events</a>. If the webhooks were events of their own, <a href="${t}/sources/${source.id}/edit">change where the event id is from</a>.</p>`
  }`;

/** The fields of a source: which ones its scheme needs, and what a form of them means for the API. */

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
  const field = enteredIn(values, errors);
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
${selectField({ ...field('response_status', '202'), label: 'Response status', options: choices('202', '200', '204') })}
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

const hmacFields = (field: ReturnType<typeof enteredIn>): Html =>
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

/** The form of a source, read for the API, and a source of the API as such a form. */

/** A setting that is not there is null: the API resets it. */
export type SourceSettings = Readonly<Record<string, unknown>> & { name: string };

export function readSourceForm(form: URLSearchParams, scheme: SourceScheme): SourceSettings {
  const text = (name: string): string | null => form.get(name)?.trim() || null;
  /** The forms of some schemes have fewer fields: what they don’t show stays as it is. */
  const ifShown = (name: string, read: (value: string | null) => unknown): Record<string, unknown> =>
    form.has(name) ? { [name]: read(text(name)) } : {};
  const perSecond = numberIn(text('rate_limit/per_second'));
  const burst = numberIn(text('rate_limit/burst'));
  const fingerprints = linesIn(form.get('client_certificate/fingerprints'));
  const needsCertificate = form.has('client_certificate/required') || fingerprints !== null;
  return {
    name: text('name') ?? '',
    ...ifShown('signature_header', (value) => value),
    ...(scheme === 'hmac' && {
      hmac: {
        algorithm: text('hmac/algorithm'),
        encoding: text('hmac/encoding'),
        header: text('hmac/header') ?? '',
        signed: text('hmac/signed') ?? '',
        // A space is part of it.
        prefix: form.get('hmac/prefix') || null,
        timestamp_header: text('hmac/timestamp_header'),
        id_header: text('hmac/id_header'),
      },
    }),
    ...ifShown('public_url', (value) => value),
    dedup_id: linesIn(form.get('dedup_id'))?.map(placeIn) ?? null,
    dedup: form.has('dedup_off') ? 'off' : null,
    dedup_ttl_seconds: numberIn(text('dedup_ttl_seconds')),
    event_type_from: linesIn(form.get('event_type_from')),
    ordering_key: linesIn(form.get('ordering_key')),
    tags_from: tagsIn(form.get('tags_from')),
    ...ifShown('timestamp_tolerance_seconds', numberIn),
    allowed_ips: linesIn(form.get('allowed_ips')),
    rate_limit: perSecond === null && burst === null ? null : { per_second: perSecond, burst },
    response_status: numberIn(text('response_status')),
    client_certificate: needsCertificate ? { required: form.has('client_certificate/required'), fingerprints } : null,
    // The saved one is not shown, so that an empty field says nothing.
    ...(form.get('verify_token') && { verify_token: form.get('verify_token') }),
    keep_rejected_bodies: form.has('keep_rejected_bodies') ? true : null,
  };
}

/** Without what is not set: a source that is made has nothing to reset. */
export function withoutNulls(settings: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(settings).flatMap(([name, value]): [string, unknown][] => {
    if (value === null) return [];
    const isObject = typeof value === 'object' && !Array.isArray(value);
    return [[name, isObject ? withoutNulls(value as Record<string, unknown>) : value]];
  });
  return Object.fromEntries(entries);
}

/**
 * As a merge patch of what is saved: tags that are no more are reset by their names. A `dedup_id` that stays as it is is left out, since giving
 * one moves an older source to the default of today.
 */
export function patchOf(given: SourceSettings, saved: Source, form: URLSearchParams): Record<string, unknown> {
  const { dedup_id: dedupId, ...others } = given;
  const isKept = JSON.stringify(dedupId) === JSON.stringify(saved.dedup_id ?? null) && !form.has('dedup_default');
  const settings = isKept ? others : given;
  const { tags_from: tags } = settings;
  if (typeof tags !== 'object' || tags === null || saved.tags_from === undefined) return { ...settings };
  const gone = Object.keys(saved.tags_from).filter((name) => !Object.hasOwn(tags, name));
  return { ...settings, tags_from: { ...tags, ...Object.fromEntries(gone.map((name) => [name, null])) } };
}

/** Whether the source has the default identifier of an older version: of sources that are made today it counts together with more. */
export const hasOlderDefault = ({ scheme, dedup_id, dedup, identified_by }: Source): boolean =>
  dedup_id === undefined &&
  dedup !== 'off' &&
  identified_by.with !== identityRule(scheme, {}, dedupRules.ofScheme).with;

export function formOfSource(source: Source): URLSearchParams {
  const { hmac, rate_limit: rate, client_certificate: certificate, tags_from: tags = {} } = source;
  const values: Record<string, string | number | undefined> = {
    name: source.name,
    signature_header: source.signature_header,
    public_url: source.public_url,
    dedup_id: source.dedup_id?.map((place) => (typeof place === 'string' ? place : JSON.stringify(place))).join('\n'),
    dedup_off: source.dedup === 'off' ? '1' : undefined,
    dedup_ttl_seconds: source.dedup_ttl_seconds,
    event_type_from: source.event_type_from?.join('\n'),
    ordering_key: source.ordering_key?.join('\n'),
    tags_from: Object.entries(tags)
      .map(([name, place]) => `${name} = ${place}`)
      .join('\n'),
    timestamp_tolerance_seconds: source.timestamp_tolerance_seconds,
    allowed_ips: source.allowed_ips?.join('\n'),
    'rate_limit/per_second': rate?.per_second,
    'rate_limit/burst': rate?.burst,
    response_status: source.response_status,
    'client_certificate/required': certificate?.required === true ? '1' : undefined,
    'client_certificate/fingerprints': certificate?.fingerprints?.join('\n'),
    keep_rejected_bodies: source.keep_rejected_bodies === true ? '1' : undefined,
    ...Object.fromEntries(Object.entries(hmac ?? {}).map(([name, value]) => [`hmac/${name}`, value])),
  };
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && value !== '') form.set(name, String(value));
  return form;
}

const linesIn = (text: string | null): readonly string[] | null => {
  const lines = (text ?? '')
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines.length === 0 ? null : lines;
};

/** A list in JSON is one place, whose values are joined; what is no JSON goes to the API as it is, which says so. */
function placeIn(line: string): unknown {
  if (!line.startsWith('[')) return line;
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}

function tagsIn(text: string | null): Readonly<Record<string, string>> | null {
  const lines = linesIn(text);
  if (lines === null) return null;
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf('=');
      return at < 0 ? [line, ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );
}

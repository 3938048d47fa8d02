/** The form of a source, read for the API, and a source of the API as such a form. */
import { dedupRules, type SourceScheme } from '#lib/contract';
import { identityRule } from '#lib/signatures';
import type { Source } from '../../routes/sources/source.ts';

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
    ...Object.fromEntries(Object.entries(hmac ?? {}).map(([name, value]) => [`hmac/${name}`, value as string])),
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

/** A text that is no number goes to the API as it is, which says so. */
const numberIn = (text: string | null): number | string | null =>
  text !== null && /^\d+(\.\d+)?$/.test(text) ? Number(text) : text;

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

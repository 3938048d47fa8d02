import { html, type Html, type HtmlValue } from '#lib/html';
import { definitions } from '../../parts/definitions.ts';
import { duration } from '../../parts/duration.ts';
import { time } from '../../parts/time.ts';
import type { Source } from '../../routes/sources/source.ts';
import { schemeSetups } from './scheme-setup.ts';

/** How webhooks of the source are taken. */
export function settingsCard(source: Source): Html {
  const { client_certificate: certificate, rate_limit: rate } = source;
  return html`<section class="card"><h2>Settings</h2>${definitions([
    ['Scheme', html`<code>${source.scheme}</code>`],
    schemeSetups[source.scheme].isTimed && ['Timestamp tolerance', duration(source.timestamp_tolerance_seconds)],
    ['Event id from', identifier(source)],
    ['Duplicates are recognized for', duration(source.dedup_ttl_seconds)],
    ['Event type from', places(source.event_type_from, 'the default of the scheme')],
    ['Ordering key from', places(source.ordering_key, 'nothing')],
    ['Tags', tags(source.tags_from)],
    ['Allowed addresses', places(source.allowed_ips, 'any address')],
    ['Rate limit', rate === undefined ? 'that of the tenant' : `${rate.per_second} a second, ${rate.burst} at once`],
    [
      'Client certificate',
      certificate?.required === true
        ? certificate.fingerprints === undefined
          ? 'required'
          : html`required: ${places(certificate.fingerprints, '')}`
        : 'not asked for',
    ],
    ['Verify token', source.verify_token_set === true ? 'set, not shown' : 'none'],
    ['Bodies of rejected webhooks', source.keep_rejected_bodies === true ? 'kept' : 'not kept'],
    ['Created', time(source.created_at)],
  ])}</section>`;
}

function identifier({ identified_by: { places: all, with: countedWith }, dedup_id }: Source): HtmlValue {
  const texts = all.map((place) => (typeof place === 'string' ? place : place.join(' with ')));
  const others: Readonly<Record<string, string>> = {
    body: ', together with the body',
    receipt: '; each receipt is an event',
  };
  const otherwise = countedWith === null ? '' : (others[countedWith] ?? `, together with ${countedWith}`);
  return html`${places(texts, 'the body')}${dedup_id === undefined && ' (default)'}${otherwise}`;
}

const places = (list: readonly string[] | undefined, otherwise: string): HtmlValue =>
  list === undefined || list.length === 0
    ? otherwise
    : list.map((one, index) => html`${index > 0 && ', '}<code>${one}</code>`);

const tags = (from: Source['tags_from']): HtmlValue =>
  from === undefined || Object.keys(from).length === 0
    ? 'none'
    : Object.entries(from).map(([name, place], index) => html`${index > 0 && ', '}${name} from <code>${place}</code>`);

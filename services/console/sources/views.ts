import type { Value } from '#client';
import type { Source } from '#lib/api-contract';
import { html, type Html, type HtmlValue } from '#lib/html';
import { page, type PageResult } from '../page-result.ts';
import { type Crumb, crumbsTo } from '../sections.ts';
import { codeBlock, definitions, joined } from '../ui/text.ts';
import { duration, time } from '../ui/times.ts';
import { sourceNotes } from './form.ts';
import { schemeSetups } from './scheme-setup.ts';

type Named = Pick<Source, 'id' | 'name'>;

export const crumbsOf = ({ id, name }: Named, t: string, ...below: Crumb[]) =>
  crumbsTo(t, 'sources', { label: name, href: `${t}/sources/${id}` }, ...below);

/** The head of a page about one source, below the source's own. */
export const headOf = (source: Named, t: string) => ({
  subtitle: html`<bdi>${source.name}</bdi>`,
  crumbs: crumbsOf(source, t),
});

/** The answer to its creation: the one page that shows the secret. @param isOwnSecret it was entered, not made */
export function createdSource(source: Value<'POST /v1/sources'>, t: string, isOwnSecret: boolean): PageResult {
  const { provider, secretFrom } = schemeSetups[source.scheme];
  const href = `${t}/sources/${source.id}`;
  return page({
    status: 201,
    title: 'The source is created',
    subtitle: html`<bdi>${source.name}</bdi>`,
    crumbs: crumbsTo(t, 'sources'),
    actions: html`<a class="button primary" href="${href}">To the source</a>`,
    body: html`${
      isOwnSecret
        ? html`<p class="note note-good">Webhooks that are signed with the secret that you entered are accepted.</p>`
        : html`<section class="card"><h2>Secret</h2>
<p>${
            secretFrom === 'here'
              ? 'Enter it at the provider now: it is not shown again.'
              : `${provider} makes a secret of its own when you enter the URL there. Then enter that one here; until then this one is in force. It is not shown again.`
          }</p>${codeBlock(source.secret)}</section>`
    }${sourceNotes(source, t)}${providerCard(source, `${href}/rotate`)}`,
  });
}

/** The values to enter at the provider. @param rotate where a secret of the provider is entered; undefined for who may not */
export function providerCard(source: Source, rotate: string | undefined): Html {
  const setup = schemeSetups[source.scheme];
  const { hmac, signature_header: ownHeader } = source;
  return html`<section class="card"><h2>At the provider</h2>
<p>Send webhooks to this URL:</p>
${codeBlock(source.ingest_url)}
${definitions([
  ['Where to enter it', setup.where],
  [
    'Secret',
    setup.secretFrom === 'here'
      ? `the secret of this source, ${setup.secret}; it was shown when it was made`
      : html`${setup.provider} makes it: ${setup.secret}.${rotate !== undefined && html` <a href="${rotate}">Enter it here</a>.`}`,
  ],
  ['Content type', setup.contentType],
  ['Events', setup.events],
  [
    'Signature comes in',
    html`<code>${hmac?.header ?? ownHeader ?? setup.header}</code>${[hmac?.timestamp_header, hmac?.id_header].map((name) => name !== undefined && html`, with <code>${name}</code>`)}`,
  ],
  [
    'Signed is',
    hmac === undefined
      ? setup.signed
      : html`HMAC-${hmac.algorithm.toUpperCase()} over <code>${hmac.signed}</code>, in ${hmac.encoding}${hmac.prefix !== undefined && html` behind <code>${hmac.prefix}</code>`}`,
  ],
  source.public_url !== undefined && [
    'URL that the provider calls',
    html`<bdi class="url">${source.public_url}</bdi>: exactly this one is signed`,
  ],
  ['Response status', `${source.response_status}`],
])}</section>`;
}

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
  list === undefined || list.length === 0 ? otherwise : joined(list.map((one) => html`<code>${one}</code>`));

const tags = (from: Source['tags_from']): HtmlValue =>
  from === undefined || Object.keys(from).length === 0
    ? 'none'
    : joined(Object.entries(from).map(([name, place]) => html`${name} from <code>${place}</code>`));

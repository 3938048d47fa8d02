import { html, type Html } from '#lib/html';
import { codeBlock } from '../../parts/code-block.ts';
import { definitions } from '../../parts/definitions.ts';
import type { Source } from '../../routes/sources/source.ts';
import { schemeSetups } from './scheme-setup.ts';

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

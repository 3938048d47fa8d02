import { html } from '#lib/html';
import type { PageContent, PageStatus } from '../../page-result.ts';
import { codeBlock } from '../../parts/code-block.ts';
import type { SourceWithSecret } from '../../routes/sources/source.ts';
import { providerCard } from './provider-card.ts';
import { schemeSetups } from './scheme-setup.ts';
import { sourceNotes } from './source-notes.ts';

interface Made {
  t: string;
  /** The secret was entered, not made. */
  isOwnSecret: boolean;
}

/** The answer to its creation: the one page that shows the secret. */
export function createdSource(
  source: SourceWithSecret,
  { t, isOwnSecret }: Made,
): PageContent & { status: PageStatus } {
  const { provider, secretFrom } = schemeSetups[source.scheme];
  const href = `${t}/sources/${source.id}`;
  return {
    status: 201,
    title: 'The source is created',
    subtitle: html`<bdi>${source.name}</bdi>`,
    crumbs: [{ label: 'Sources', href: `${t}/sources` }],
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
    }${sourceNotes(source, { t, changedId: null })}${providerCard(source, `${href}/rotate`)}`,
  };
}

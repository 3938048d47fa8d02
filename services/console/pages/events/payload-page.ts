import { html } from '#lib/html';
import type { PageContent } from '../../page-result.ts';
import type { Payload, PayloadText } from '../../parts/payload-text.ts';
import { payloadFacts, payloadView } from '../../parts/payload-view.ts';

/** All of the largest payload, where it is in lines already. */
const maxCharacters = 2 * 1024 * 1024;

export const payloadPage = (
  id: string,
  { t, payload, text }: { t: string; payload: Payload; text: PayloadText },
): PageContent => {
  const href = `${t}/events/${encodeURIComponent(id)}`;
  return {
    title: 'Payload',
    subtitle: html`${payloadFacts(payload)}`,
    crumbs: [
      { label: 'Events', href: `${t}/events` },
      { label: id, href },
    ],
    actions: html`<a class="button" href="${href}/payload?raw=1">Raw</a><a class="button" href="${href}/payload?download=1">Download</a>`,
    body: payloadView({ payload, text, maxCharacters }),
  };
};

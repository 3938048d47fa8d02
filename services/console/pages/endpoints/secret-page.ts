import { html, type Html } from '#lib/html';
import { codeBlock } from '../../parts/code-block.ts';

interface Secret {
  secret: string;
  /** The endpoint's page. */
  href: string;
}

/** A secret that is shown this once, and what it is for. */
export const secretPage = ({ secret, href }: Secret, about: Html): Html => html`<div class="card">${about}
<h2>Signing secret</h2>${codeBlock(secret)}
<p class="note note-warn">Copy it now: only this page shows it. It is stored encrypted, and never shown again.</p>
<p>Give it to the receiver. It verifies <code>webhook-signature</code> with any library of Standard Webhooks, or by hand:</p>
${codeBlock('hookline verify --scheme standard-webhooks --secret "$SECRET" --header "webhook-id: …" --header "webhook-timestamp: …" --header "webhook-signature: …" --body-file body')}
<p><a class="button primary" href="${href}">To the endpoint</a></p></div>`;

import { html, type Html } from '#lib/html';
import { schemeNames, schemeSetups } from './scheme-setup.ts';

/** The choice of the sender, which decides how signatures are verified. */
export const schemeChoice = (
  href: string,
): Html => html`<p class="lead">Who sends the webhooks? That decides how their signatures are verified.</p>
<ul class="choices">${schemeNames.map((scheme) => html`<li><a class="card" href="${href}?scheme=${scheme}"><strong>${schemeSetups[scheme].provider}</strong><span class="muted">${scheme}</span></a></li>`)}</ul>
<p class="muted">Not among them? Most sign with HMAC: choose “${schemeSetups.hmac.provider}”, and say what is signed.</p>`;

import { html } from '#lib/html';
import type { PageContent } from '../../page-result.ts';

/** Opening the link shows this button; only the click redeems it. Scanners of mail and previews of chats do not use it up. */
export const linkPage = (action: string): PageContent => ({
  title: 'Your webhooks',
  body: html`<form class="card stack sign-in" method="post" action="${action}"><p class="lead">This link opens the pages of your webhooks, once.</p>
<button class="primary">Continue</button></form>`,
});

/** Within another page, in a browser that keeps no cookies there. The link was not redeemed. */
export const notKept = (href: string): PageContent => ({
  title: 'Open it in a window of its own',
  body: html`<div class="problem"><p class="lead">Your browser keeps no cookies for what is shown within another page, and without one you can’t be signed in here. Your link was not used.</p>
<p><a class="button primary" href="${href}" target="_blank" rel="noopener">Open in a new window</a></p></div>`,
});

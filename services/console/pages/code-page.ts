import { html } from '#lib/html';
import type { PageContent } from '../page-result.ts';

/** Opening the link shows this button; only the click redeems the code. Link scanners and previews do not use it up. */
export const codePage = (base: string, { code, to }: { code: string; to: string }): PageContent => ({
  title: 'Sign in',
  body: html`<form class="card stack sign-in" method="post" action="${base}/session/code"><p class="lead">This link signs you in, once.</p>
<input type="hidden" name="code" value="${code}"><input type="hidden" name="to" value="${to}"><button class="primary">Continue</button></form>`,
});

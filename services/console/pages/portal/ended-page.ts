import { html } from '#lib/html';
import type { TitledContent } from '../../page-result.ts';
import { wayBack } from './frame.ts';

/** The answer to every page of the portal without a session, at the page's own address. */
export const endedPage = (returnUrl: string | null): TitledContent => ({
  title: 'You are not signed in here',
  body: html`<div class="problem"><p class="lead">Your time here is over, or you have not opened your link yet. A link opens these pages once: get another one where you got the first.</p>
${returnUrl !== null && html`<p>${wayBack(returnUrl)}</p>`}</div>`,
});

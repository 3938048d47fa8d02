import { html } from '#lib/html';
import { page } from '../../page-result.ts';
import { tenantPage } from '../../page.ts';
import { sections } from '../../sections.ts';

/** `T`: the first page of a tenant. */
export const overview = tenantPage({
  path: '',
  title: 'Overview',
  section: 'overview',
  get: {
    answer: ({ t }) =>
      page({
        body: html`<ul class="links"><li><a href="${t}${sections.endpoints.path}">Endpoints</a></li></ul>`,
      }),
  },
});

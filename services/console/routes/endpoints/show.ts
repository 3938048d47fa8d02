import { html, type Html } from '#lib/html';
import { page } from '../../page-result.ts';
import { tenantPage, type TenantContext } from '../../page.ts';
import { endpointPage } from '../../pages/endpoints/endpoint-page.ts';
import { postForm } from '../../parts/form.ts';
import { wholeId } from '../../parts/short-id.ts';
import { statusBadge } from '../../parts/status-badge.ts';
import { time } from '../../parts/time.ts';
import { type Endpoint, endpointStatus } from './endpoint.ts';
import { readEndpoint } from './read-endpoint.ts';

/** `T/endpoints/:id` */
export const endpoint = tenantPage({
  path: '/endpoints/:id',
  title: 'Endpoint',
  section: 'endpoints',
  get: {
    async answer(context) {
      const { api, params, t, can } = context;
      const shown = await readEndpoint(api, params.id);
      const found = shown.endpoint;
      const mayWrite = can('write');
      return page({
        title: `Endpoint ${found.description || withoutScheme(found.url)}`,
        heading: html`<bdi class="url">${found.url}</bdi> ${statusBadge(endpointStatus(found))}`,
        subtitle: html`${found.description !== '' && html`<bdi>${found.description}</bdi> · `}${wholeId(found.id)} · created ${time(found.created_at)}`,
        crumbs: [{ label: 'Endpoints', href: `${t}/endpoints` }],
        ...(mayWrite && { actions: actions(context, found) }),
        body: endpointPage(shown, { t, mayWrite }),
      });
    },
  },
});

const withoutScheme = (url: string): string => url.replace(/^https?:\/\//, '');

/** What is done often is a button, and what can't be undone a link behind it. A page asks before it. */
function actions(context: TenantContext, { id, disabled_at: disabledAt, paused_at: pausedAt }: Endpoint): Html {
  const at = (what: string): string => `${context.t}/endpoints/${id}/${what}`;
  const link = (what: string, label: string): Html => html`<a class="button" href="${at(what)}">${label}</a>`;
  const form = (what: string, submit: string): Html => postForm(context, { action: at(what), submit, isInline: true });
  const isDisabled = disabledAt !== null;
  const isPaused = pausedAt !== null;
  return html`${isDisabled && form('enable', 'Enable')}${!isDisabled && isPaused && form('resume', 'Resume')}
${!isDisabled && !isPaused && link('test', 'Send a test')}${!isDisabled && link('pause', isPaused ? 'Move the end of the pause' : 'Pause')}
${!isDisabled && link('recover', 'Recover')}${link('edit', 'Edit')}${link('rotate', 'Rotate secret')}
${!isDisabled && link('disable', 'Disable')}<a class="button danger" href="${at('delete')}">Delete</a>`;
}

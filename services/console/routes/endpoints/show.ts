import { html, type Html } from '#lib/html';
import { page } from '../../page-result.ts';
import { tenantPage, type TenantContext } from '../../page.ts';
import { endpointPage } from '../../pages/endpoints/endpoint-page.ts';
import { countsFrom } from '../../parts/counts-from.ts';
import { postForm } from '../../parts/form.ts';
import { wholeId } from '../../parts/short-id.ts';
import { statusBadge } from '../../parts/status-badge.ts';
import { time } from '../../parts/time.ts';
import { type Endpoint, type EndpointHealth, endpointStatus } from './endpoint.ts';
import { readEndpoint } from './read-endpoint.ts';

/** `T/endpoints/:id` */
export const endpoint = tenantPage({
  path: '/endpoints/:id',
  title: 'Endpoint',
  section: 'endpoints',
  get: {
    capability: 'view',
    async answer(context) {
      const { params, t, clock } = context;
      const shown = await readEndpoint(context, params.id);
      const found = shown.endpoint;
      return page({
        title: `Endpoint ${found.description || withoutScheme(found.url)}`,
        heading: html`<bdi class="url">${found.url}</bdi> ${statusBadge(endpointStatus(found, shown.health))}`,
        subtitle: html`${found.description !== '' && html`<bdi>${found.description}</bdi> · `}${wholeId(found.id)} · created ${time(found.created_at)}`,
        crumbs: [{ label: 'Endpoints', href: `${t}/endpoints` }],
        actions: actions(context, found, shown.health),
        ...(isAhead(found, clock.nowMs()) && { islands: ['counts-from'] }),
        body: html`${isAhead(found, clock.nowMs()) && html`<p class="note">Its last change counts for events that are accepted from ${countsFrom(found)} on.</p>`}${endpointPage(shown, context)}`,
      });
    },
  },
});

const isAhead = ({ effective_at: effectiveAt }: Endpoint, nowMs: number): boolean => Date.parse(effectiveAt) > nowMs;

const withoutScheme = (url: string): string => url.replace(/^https?:\/\//, '');

/** A frequent action is a button, and one that can't be undone a link behind it. A page asks before it. */
function actions(
  context: TenantContext,
  { id, disabled_at: disabledAt, paused_at: pausedAt }: Endpoint,
  health: Pick<EndpointHealth, 'breaker'> | undefined,
): Html {
  const { t, can } = context;
  const at = (what: string): string => `${t}/endpoints/${id}/${what}`;
  const link = (what: string, label: string): Html => html`<a class="button" href="${at(what)}">${label}</a>`;
  const form = (what: string, submit: string): Html => postForm(context, { action: at(what), submit, isInline: true });
  const isDisabled = disabledAt !== null;
  const isPaused = pausedAt !== null;
  const mayChange = can('write', 'endpoints');
  const isHeldBack = health?.breaker?.state === 'open';
  return html`${mayChange && isDisabled && form('enable', 'Enable')}${mayChange && !isDisabled && isPaused && form('resume', 'Resume')}
${mayChange && !isDisabled && !isPaused && isHeldBack && form('probe', 'Probe now')}${mayChange && !isDisabled && !isPaused && link('test', 'Send a test')}${mayChange && !isDisabled && link('pause', isPaused ? 'Move the end of the pause' : 'Pause')}
${can('write', 'replay') && !isDisabled && link('recover', 'Recover')}${mayChange && link('edit', 'Edit')}${can('write', 'secrets') && link('rotate', 'Rotate secret')}
${mayChange && !isDisabled && link('disable', 'Disable')}${mayChange && html`<a class="button danger" href="${at('delete')}">Delete</a>`}`;
}

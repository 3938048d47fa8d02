/** Disabling and deleting: what can’t be undone without a trace is asked before. */
import { html } from '#lib/html';
import { isGone } from '../../api-calls/is-gone.ts';
import { path } from '../../api-calls/paths.ts';
import { seeOther } from '../../page-result.ts';
import { tenantPage } from '../../page.ts';
import { actionPage } from '../../pages/endpoints/action-page.ts';
import { problemOfFailure } from '../../problem-of-failure.ts';
import type { Endpoint } from './endpoint.ts';

/** `T/endpoints/:id/disable` */
export const disableEndpoint = tenantPage({
  path: '/endpoints/:id/disable',
  title: 'Disable endpoint',
  section: 'endpoints',
  get: {
    scope: 'write',
    capability: 'endpoints',
    answer: async (context) =>
      actionPage(context, {
        endpoint: await context.api.get<Endpoint>(path`/endpoints/${context.params.id}`),
        title: 'Disable endpoint',
        about: html`Nothing more is sent to it, and deliveries that wait become dead letters. It can be enabled again, and its dead letters recovered. To hold deliveries back for some time, pause it instead.`,
        action: 'disable',
        submit: 'Disable',
        isDangerous: true,
      }),
  },
  post: {
    capability: 'endpoints',
    async answer({ api, params, t }) {
      const done = await api.send('POST', path`/endpoints/${params.id}/disable`);
      return done.ok ? seeOther(`${t}/endpoints/${params.id}`) : problemOfFailure(done.failure);
    },
  },
});

/** `T/endpoints/:id/delete` */
export const deleteEndpoint = tenantPage({
  path: '/endpoints/:id/delete',
  title: 'Delete endpoint',
  section: 'endpoints',
  get: {
    scope: 'write',
    capability: 'endpoints',
    answer: async (context) =>
      actionPage(context, {
        endpoint: await context.api.get<Endpoint>(path`/endpoints/${context.params.id}`),
        title: 'Delete endpoint',
        about: html`Deliveries that wait are cancelled, and nothing more is sent to it. It does not come back: its page will say that it is gone. Its past deliveries stay.`,
        action: 'delete',
        submit: 'Delete for ever',
        isDangerous: true,
      }),
  },
  post: {
    capability: 'endpoints',
    async answer({ api, params, t }) {
      const done = await api.send('DELETE', path`/endpoints/${params.id}`);
      // The page of the endpoint says 410 from now on.
      return done.ok || isGone(done.failure) ? seeOther(`${t}/endpoints/${params.id}`) : problemOfFailure(done.failure);
    },
  },
});

import type { Session } from '#lib/api-contract';
import { html, type Html } from '#lib/html';
import { isGone } from '../api-calls/calls.ts';
import { type PageResult, seeOther } from '../page-result.ts';
import { type OperatorContext, type OperatorFormContext, operatorPage, tenantPage } from '../page.ts';
import { problemOfFailure } from '../problem-of-failure.ts';
import { postForm } from '../ui/form.ts';
import { listPage, listParameters } from '../ui/list-page.ts';
import { statusBadge } from '../ui/status.ts';
import { cliCommand, shortId } from '../ui/text.ts';
import { minute } from '../ui/times.ts';

interface Sessions {
  /** Undefined: the sessions of the operator, for all tenants. */
  tenant?: string;
  /** The paths of the list, and of a tenant's keys, begin with it. */
  at: string;
  above: Html;
}

const operatorKey = 'admin';

/** The sessions of a tenant, or those of the operator for all tenants. */
async function sessionsPage(context: OperatorContext, { tenant, at, above }: Sessions): Promise<PageResult> {
  const { api, query, session } = context;
  const href = `${at}/sessions`;
  return listPage<Session>(context, {
    title: 'Sessions',
    href,
    listed: await api.list('GET /v1/sessions', { query }),
    above,
    columns: [
      {
        header: 'Session',
        cell: ({ id }) =>
          html`<span>${shortId(id)}${id === session.id && html` ${statusBadge('active', 'yours')}`}</span>`,
      },
      {
        header: 'Made from',
        cell: ({ key_id: key }) => madeFrom(key, tenant === undefined ? undefined : `${at}/keys`),
      },
      { header: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
      { header: 'Made', cell: ({ created_at: at }) => minute(at) },
      {
        header: 'Ends',
        cell: ({ redeemed, expires_at: at, idle_expires_at: idleAt }) =>
          html`<span>${minute(idleAt < at ? idleAt : at)}${idleAt < at && html` <span class="muted">if it is not used, else ${minute(at)}</span>`}${!redeemed && html` <span class="muted">· its code was not redeemed yet</span>`}</span>`,
      },
      { header: 'End it', cell: ({ id }) => endForm(id, context, href) },
    ],
    empty: {
      title: 'No session of this tenant',
      body: 'Signing in here makes one. A program can have one too: a token that ends.',
      command: cliCommand(tenant === undefined ? 'sessions create --all-tenants' : 'sessions create', tenant),
    },
  });
}

/** @param keys their path; undefined: the keys are those of the operator */
function madeFrom(key: string, keys: string | undefined): Html {
  if (key === operatorKey) return html`the operator’s key`;
  return keys === undefined ? shortId(key) : html`<a href="${keys}/${key}">${shortId(key)}</a>`;
}

function endForm(id: string, context: OperatorContext, href: string): Html {
  const isOwn = id === context.session.id;
  return postForm(context, {
    action: isOwn ? `${context.base}/session/end` : `${href}/${id}/end`,
    submit: isOwn ? 'Sign out' : 'End',
    tone: 'quiet',
    isInline: true,
  });
}

/** `T/sessions`: those that have not ended. */
const sessions = tenantPage({
  path: '/sessions',
  title: 'Sessions',
  section: 'sessions',
  get: {
    scope: 'admin',
    query: listParameters([]),
    answer(context) {
      const { t, tenant, base, session } = context;
      const above = html`<p class="muted">A session ends by itself, with its key, or here, within two seconds.${session.tenant === undefined && html` Yours is for all tenants: it is among <a href="${base}/sessions">the operator’s</a>.`}</p>`;
      return sessionsPage(context, { tenant, at: t, above });
    },
  },
});

/** `/sessions`: those of the operator for all tenants. */
const operatorSessions = operatorPage({
  path: '/sessions',
  title: 'Sessions',
  section: 'tenants',
  get: {
    query: listParameters([]),
    answer: (context) =>
      sessionsPage(context, {
        at: context.base,
        above: html`<p class="muted">Sessions of the operator’s key, which see all tenants. Those of a single tenant are among its own.</p>`,
      }),
  },
});

/** Ends a session, and comes back to the list; who has ended the own session is signed out. */
async function end(context: OperatorFormContext<'/sessions/:id/end'>, at: string): Promise<PageResult> {
  const { api, params, session, base } = context;
  const ended = await api.change('DELETE /v1/sessions/:id', { params });
  if (!ended.ok && !isGone(ended.failure)) return problemOfFailure(ended.failure);
  return params.id === session.id
    ? seeOther(`${base}/`, { 'clear-site-data': '"cache", "cookies"' })
    : seeOther(`${at}/sessions`);
}

/** `POST T/sessions/:id/end` */
const endSession = tenantPage({
  path: '/sessions/:id/end',
  title: 'End a session',
  section: 'sessions',
  post: { scope: 'admin', answer: (context) => end(context, context.t) },
});

/** `POST /sessions/:id/end` */
const endOperatorSession = operatorPage({
  path: '/sessions/:id/end',
  title: 'End a session',
  section: 'tenants',
  post: { scope: 'admin', answer: (context) => end(context, context.base) },
});

/** The sessions of a tenant, and those of the operator. Signing in and out is in session/. */
export const sessionPages = [sessions, endSession, operatorSessions, endOperatorSession];

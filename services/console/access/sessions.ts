import type { Session } from '#lib/api-contract';
import { html, type Html } from '#lib/html';
import { isGone } from '../api-calls/calls.ts';
import type { Listed, WriteApi } from '../api-calls/console-api.ts';
import { type PageResult, seeOther } from '../page-result.ts';
import { operatorPage, tenantPage } from '../page.ts';
import { problemOfFailure } from '../problem-of-failure.ts';
import { postForm } from '../ui/form.ts';
import { listPage, listParameters } from '../ui/list-page.ts';
import { statusBadge } from '../ui/status.ts';
import { cliCommand, shortId } from '../ui/text.ts';
import { minute } from '../ui/times.ts';

interface Given {
  context: { query: URLSearchParams; newKey(): string; base: string; session: { id: string } };
  /** Undefined: the sessions of the operator, for all tenants. */
  tenant?: string;
  /** The path of the list. */
  href: string;
  listed: Listed<Session>;
  /** The page of a key; undefined: the keys are those of the operator. */
  keyHref?: (id: string) => string;
  above: Html;
}

const operatorKey = 'admin';

/** The sessions of a tenant, or those of the operator for all tenants. */
const sessionsPage = ({ context, tenant, href, listed, keyHref, above }: Given): PageResult =>
  listPage<Session>(context, {
    title: 'Sessions',
    href,
    listed,
    above,
    columns: [
      {
        header: 'Session',
        cell: ({ id }) =>
          html`<span>${shortId(id)}${id === context.session.id && html` ${statusBadge('active', 'yours')}`}</span>`,
      },
      { header: 'Made from', cell: ({ key_id: key }) => madeFrom(key, keyHref) },
      { header: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
      { header: 'Made', cell: ({ created_at: at }) => minute(at) },
      {
        header: 'Ends',
        cell: ({ redeemed, expires_at: at, idle_expires_at: idleAt }) =>
          html`<span>${minute(idleAt < at ? idleAt : at)}${idleAt < at && html` <span class="muted">if it is not used, else ${minute(at)}</span>`}${!redeemed && html` <span class="muted">· its code was not redeemed yet</span>`}</span>`,
      },
      { header: 'End it', cell: ({ id }) => endForm(id, { context, href }) },
    ],
    empty: {
      title: 'No session of this tenant',
      body: 'Signing in here makes one. A program can have one too: a token that ends.',
      command: cliCommand(tenant === undefined ? 'sessions create --all-tenants' : 'sessions create', tenant),
    },
  });

const madeFrom = (key: string, keyHref: Given['keyHref']): Html => {
  if (key === operatorKey) return html`the operator’s key`;
  return keyHref === undefined ? shortId(key) : html`<a href="${keyHref(key)}">${shortId(key)}</a>`;
};

const endForm = (id: string, { context, href }: Pick<Given, 'context' | 'href'>): Html =>
  id === context.session.id
    ? postForm(context, { action: `${context.base}/session/end`, submit: 'Sign out', tone: 'quiet', isInline: true })
    : postForm(context, { action: `${href}/${id}/end`, submit: 'End', tone: 'quiet', isInline: true });

/** `T/sessions`: those that have not ended. */
const sessions = tenantPage({
  path: '/sessions',
  title: 'Sessions',
  section: 'sessions',
  get: {
    scope: 'admin',
    query: listParameters([]),
    async answer(context) {
      const { t, tenant, base, api, query, session } = context;
      return sessionsPage({
        context,
        tenant,
        href: `${t}/sessions`,
        listed: await api.list('GET /v1/sessions', { query }),
        keyHref: (id) => `${t}/keys/${id}`,
        above: html`<p class="muted">A session ends by itself, with its key, or here, within two seconds.${session.tenant === undefined && html` Yours is for all tenants: it is among <a href="${base}/sessions">the operator’s</a>.`}</p>`,
      });
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
    async answer(context) {
      const { base, api, query } = context;
      return sessionsPage({
        context,
        href: `${base}/sessions`,
        listed: await api.list('GET /v1/sessions', { query }),
        above: html`<p class="muted">Sessions of the operator’s key, which see all tenants. Those of a single tenant are among its own.</p>`,
      });
    },
  },
});

interface Ending {
  api: WriteApi;
  params: { id: string };
  session: { id: string };
  base: string;
}

/** @param list the page to come back to; who has ended the own session is signed out */
async function end({ api, params, session, base }: Ending, list: string): Promise<PageResult> {
  const ended = await api.change('DELETE /v1/sessions/:id', { params });
  if (!ended.ok && !isGone(ended.failure)) return problemOfFailure(ended.failure);
  return params.id === session.id ? seeOther(`${base}/`, { 'clear-site-data': '"cache", "cookies"' }) : seeOther(list);
}

/** `POST T/sessions/:id/end` */
const endSession = tenantPage({
  path: '/sessions/:id/end',
  title: 'End a session',
  section: 'sessions',
  post: { scope: 'admin', answer: (context) => end(context, `${context.t}/sessions`) },
});

/** `POST /sessions/:id/end` */
const endOperatorSession = operatorPage({
  path: '/sessions/:id/end',
  title: 'End a session',
  section: 'tenants',
  post: { scope: 'admin', answer: (context) => end(context, `${context.base}/sessions`) },
});

/** The sessions of a tenant, and those of the operator. Signing in and out is in session/. */
export const sessionPages = [sessions, endSession, operatorSessions, endOperatorSession];

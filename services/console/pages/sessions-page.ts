import { html, type Html } from '#lib/html';
import type { Listed } from '../api-calls/console-api.ts';
import type { PageResult } from '../page-result.ts';
import { cliCommand } from '../parts/cli-command.ts';
import { postForm } from '../parts/form.ts';
import { minute } from '../parts/minute.ts';
import { shortId } from '../parts/short-id.ts';
import { statusBadge } from '../parts/status-badge.ts';
import type { SessionRow } from '../routes/sessions/session-row.ts';
import { listPage } from './list-page.ts';

interface Given {
  context: { query: URLSearchParams; newKey(): string; base: string; session: { id: string } };
  /** Undefined: the sessions of the operator, for all tenants. */
  tenant?: string;
  /** The path of the list. */
  href: string;
  listed: Listed<SessionRow>;
  /** The page of a key; undefined: the keys are those of the operator. */
  keyHref?: (id: string) => string;
  above: Html;
}

const operatorKey = 'admin';

/** The sessions of a tenant, or those of the operator for all tenants. */
export const sessionsPage = ({ context, tenant, href, listed, keyHref, above }: Given): PageResult =>
  listPage<SessionRow>(context, {
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

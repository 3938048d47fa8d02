import { auditActions, type AuditEntry } from '#lib/api-contract';
import { html } from '#lib/html';
import { readTenantNames } from '../api-calls/tenant-names.ts';
import { tenantPage } from '../page.ts';
import { listPage, listParameters } from '../ui/list-page.ts';
import type { Filter } from '../ui/lists.ts';
import { minute } from '../ui/times.ts';
import { change, resourceLink, who } from './views.ts';

const filters: readonly Filter[] = [
  { kind: 'text', name: 'actor', label: 'Who', placeholder: 'key_…, admin' },
  {
    kind: 'choice',
    name: 'action',
    label: 'Action',
    options: auditActions.map((action) => ({ value: action, label: action })),
  },
  { kind: 'text', name: 'resource', label: 'Resource', placeholder: 'ep_…, src_…' },
  { kind: 'time', name: 'since', label: 'From' },
  { kind: 'time', name: 'until', label: 'Until' },
];

/** `T/audit`: who changed what, newest first. */
const audit = tenantPage({
  path: '/audit',
  title: 'Audit',
  section: 'audit',
  get: {
    scope: 'admin',
    query: listParameters(filters),
    async answer(context) {
      const { t, api, query } = context;
      const [listed, names] = await Promise.all([api.list('GET /v1/audit', { query }), readTenantNames(context)]);
      return listPage<AuditEntry>(context, {
        title: 'Audit',
        href: `${t}/audit`,
        listed,
        filters,
        above: html`<p class="muted">Changes of the last 400 days. Secrets are shown as ***; filters, payloads and long values as a digest, which is equal for equal values.</p>`,
        columns: [
          {
            header: 'When',
            cell: ({ at, request_id: request }) => html`<span title="request ${request}">${minute(at)}</span>`,
          },
          { header: 'Who', cell: ({ actor }) => html`<span class="actor">${who(actor, t)}</span>` },
          { header: 'Action', cell: ({ action }) => html`<code class="action">${action}</code>` },
          { header: 'What', cell: (entry) => resourceLink(entry, { t, names }) },
          { header: 'Change', cell: change },
        ],
        pagerWords: { prev: 'Newer', next: 'Older' },
        empty: {
          title: 'No change yet',
          body: 'Creations, changes and deletions in this tenant are listed here for 400 days, with who made them. Events have a list of their own.',
        },
      });
    },
  },
});

/** `T/audit`. */
export const auditPages = [audit];

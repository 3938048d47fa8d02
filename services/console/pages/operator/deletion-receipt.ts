import type { TenantDeletion } from '#lib/api-contract';
import { html, type Html } from '#lib/html';
import { count } from '../../parts/count.ts';
import { definitions } from '../../parts/definitions.ts';
import { postForm } from '../../parts/form.ts';
import { wholeId } from '../../parts/short-id.ts';
import { statusBadge } from '../../parts/status-badge.ts';
import { time } from '../../parts/time.ts';
import { inWords } from '../../parts/words.ts';

/** How far the deletion has come. */
export function deletionReceipt(context: { base: string; newKey(): string }, deletion: TenantDeletion): Html {
  const { id, tenant, status, events, removed, dropped, kafka, created_at: begunAt, completed_at: endedAt } = deletion;
  return html`<section class="card"><p>${status === 'running' ? 'Its senders get 410 and its keys 401 from now on. Its rows are being removed; you may close this page.' : 'All of its rows are removed.'} Its name can be used again when Kafka keeps none of its records.</p>
${definitions([
  ['Status', statusBadge(status)],
  ['Receipt', wholeId(id)],
  ['Begun', time(begunAt)],
  ['Completed', time(endedAt)],
  ['Events', count(events)],
  ['Records on Kafka that were dropped', count(dropped)],
  ['Kafka keeps bytes until', kafka === null ? 'not known yet' : time(deletion.kept_until, 'for ever')],
])}
${Object.keys(removed).length > 0 && html`<h2>Rows that were removed</h2>${definitions(Object.entries(removed).map(([table, rows]) => [inWords(table), count(rows)] as const))}`}
${kafka !== null && kafka.length > 0 && html`<h2>Until when Kafka keeps bytes</h2>${definitions(kafka.map(({ topic, kept_until: until }) => [topic, time(until, 'for ever')] as const))}`}
${postForm(context, { action: `${context.base}/tenants/${tenant}/delete`, submit: 'Look again', tone: 'plain', hidden: { confirm: tenant } })}</section>`;
}

import { html, type Html } from '#lib/html';
import type { TenantContext } from '../../page.ts';

/** Where a preview begins. */
export const bulkChoice = ({ t, isCustomer }: Pick<TenantContext, 't' | 'isCustomer'>): Html => {
  const choice = (what: string, label: string): Html =>
    html`<li><a href="${t}/replays/new?what=${what}">${label}</a></li>`;
  return html`<p>Each choice starts with a preview.</p>
<ul class="links">${!isCustomer && choice('dead_letters', 'Replay dead letters')}${choice('events', 'Replay events')}${choice('retry', 'Retry deliveries')}${!isCustomer && choice('cancel', 'Cancel deliveries')}</ul>`;
};

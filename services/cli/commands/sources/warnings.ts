import type { Api } from '../../api-calls/connect.ts';

export interface ShownSource extends Record<string, unknown> {
  id: string;
  advice: readonly string[];
  identified_by: { with: string | null };
}

/** Warnings for the owner of a source: the API's advice, and identifiers that came back with another body. */
export async function sourceWarnings({ id, advice, identified_by }: ShownSource, api: Api): Promise<readonly string[]> {
  const query = new URLSearchParams({ source_id: id, has: 'changed', order: 'desc' }).toString();
  // With anything that an identifier counts together with, another body is another event.
  const changed = identified_by.with === null ? await api.list<{ event_id: string }>(`/events?${query}`, 1) : [];
  return [
    ...advice,
    ...changed.map(
      ({ event_id }) =>
        `identifiers came back with another body, such as ${event_id}: each was a duplicate, which no endpoint gets. \
\`hookline events list --source ${id} --has changed\` shows them. If the webhooks were events of their own, name what tells them apart \
(--dedup-id '["/id","/updated_at"]'), take the default of today (--reset dedup_id), or make each receipt an event (--dedup off)`,
    ),
  ];
}

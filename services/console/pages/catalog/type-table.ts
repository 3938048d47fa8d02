import type { EventTypeSummary } from '#lib/contract';
import { html, type Html } from '#lib/html';
import type { TypeLinks } from '../../catalog/type-links.ts';
import { shortText } from '../../catalog/count-words.ts';
import { statusBadge } from '../../parts/status-badge.ts';
import { type Column, table } from '../../parts/table.ts';

export const typeColumns: readonly Column<EventTypeSummary>[] = [
  { header: 'Type', cell: ({ name }) => html`<code>${name}</code>` },
  { header: 'Description', cell: ({ description }) => shortText(description) },
  { header: 'Category', cell: ({ category }) => category ?? '–' },
  { header: 'Status', cell: ({ status }) => statusBadge(status) },
  { header: 'Version', cell: ({ version }) => version, isNumber: true },
];

/** Types as a list, each with the beginning of its description. */
export const typeTable = (caption: string, types: readonly EventTypeSummary[], to: TypeLinks): Html =>
  table({
    caption,
    columns: typeColumns,
    rows: types,
    href: ({ name }) => to.type(name),
  });

/** The tenant's own words in such a list. */
export const wordsOfTable = (types: readonly EventTypeSummary[]): readonly string[] =>
  types.map(({ description }) => shortText(description));

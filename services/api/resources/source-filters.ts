import type { Filtering, DescribedFilterTable } from '../http/filters.ts';
import { containsText, searchText } from './search-text.ts';

/** The step of the statistics: minutes, by which webhooks are counted. */
const countedLately = (dimension: string, what: string): string =>
  `EXISTS (SELECT FROM stats s
            WHERE s.tenant = sources.tenant AND s.dimension = '${dimension}' AND s.step = 'minute' AND s.key = sources.id
              AND s.at >= date_trunc('minute', clock_timestamp()) - interval '10 minutes' AND ${what})`;

/** The filters of `GET /v1/sources`. Conditions are on columns of `sources`; a tenant has a limited number of them. */
export const sourceFilters = {
  failing: {
    schema: { type: 'string', enum: ['true', 'false'] },
    description: '`true`: it has rejected webhooks in the last ten minutes, and accepted none',
    condition: (failing) =>
      `(${countedLately('source/rejected', 's.rejected > 0')}
        AND NOT ${countedLately('source', '(s.received > 0 OR s.duplicates > 0)')}) = ${failing}::boolean`,
  },
  q: {
    schema: searchText,
    description: 'text in the name, in upper or lower case',
    condition: (text) => containsText(['name'], text),
  },
} satisfies DescribedFilterTable;

export type SourceFilter = Filtering<typeof sourceFilters>;

import { searchText } from '#lib/api-contract';
import type { Filtering, DescribedFilterTable } from '../http/filters.ts';
import { containsText } from './search-text.ts';

/** The filters of `GET /v1/endpoints`. Conditions are on columns of `endpoints`; a tenant has a limited number of them. */
export const endpointFilters = {
  status: {
    schema: { type: 'string', enum: ['enabled', 'paused', 'disabled'] },
    description: '`enabled` has the paused ones, too',
    condition: (status) =>
      `CASE ${status} WHEN 'disabled' THEN disabled_at IS NOT NULL
                      WHEN 'paused' THEN disabled_at IS NULL AND coalesce(paused_until > clock_timestamp(), false)
                      ELSE disabled_at IS NULL END`,
  },
  failing: {
    schema: { type: 'string', enum: ['true', 'false'] },
    description: '`true`: all attempts fail at present',
    condition: (failing) => `(failing_since IS NOT NULL) = ${failing}::boolean`,
  },
  q: {
    schema: searchText,
    description: 'text in the URL or the description, in upper or lower case',
    condition: (text) => containsText(['url', 'description'], text),
  },
} satisfies DescribedFilterTable;

export type EndpointFilter = Filtering<typeof endpointFilters>;

import type { Filtering, FilterTable } from '../http/filters.ts';
import { containsText, searchText } from './search-text.ts';

/** The filters of `GET /v1/endpoints`. Conditions are on columns of `endpoints`; a tenant has a limited number of them. */
export const endpointFilters = {
  status: {
    schema: { type: 'string', enum: ['enabled', 'disabled'] },
    condition: (status) => `CASE WHEN disabled_at IS NULL THEN 'enabled' ELSE 'disabled' END = ${status}`,
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
} satisfies FilterTable;

export type EndpointFilter = Filtering<typeof endpointFilters>;

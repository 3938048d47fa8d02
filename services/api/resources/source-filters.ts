import type { Filtering, FilterTable } from '../http/filters.ts';
import { containsText, searchText } from './search-text.ts';

/** The filters of `GET /v1/sources`. Conditions are on columns of `sources`; a tenant has a limited number of them. */
export const sourceFilters = {
  q: {
    schema: searchText,
    description: 'text in the name, in upper or lower case',
    condition: (text) => containsText(['name'], text),
  },
} satisfies FilterTable;

export type SourceFilter = Filtering<typeof sourceFilters>;

import { type ApiClient, createApiClient } from '../../api-client.ts';
import { loadApiConfig } from '../../config.ts';

/** Of every command that asks the API. */
export const tenantOption = { tenant: { type: 'string' } } as const;

export const tenantHelp =
  '  --tenant NAME                whose sources (default: default)\n  --json                       the answer as JSON';

export const connect = (tenant: string | undefined): ApiClient => createApiClient({ ...loadApiConfig(), tenant });

export const pathOf = (id: string): string => `/sources/${encodeURIComponent(id)}`;

import { type ApiClient, createApiClient } from './api-client.ts';
import { loadApiConfig } from './config.ts';

/** Of every command that asks the API. */
export const tenantOption = { tenant: { type: 'string' } } as const;

/** @param things what the command is about */
export const tenantHelp = (things: string): string =>
  `  --tenant NAME                whose ${things} (default: default)\n  --json                       the answer as JSON`;

export const connect = (tenant: string | undefined): ApiClient => createApiClient({ ...loadApiConfig(), tenant });

export const pathOf = (collection: string, id: string): string => `/${collection}/${encodeURIComponent(id)}`;

import { apiVerb } from '../api-calls/api-verb.ts';
import { columns } from '../output/print.ts';

export const limits = apiVerb({
  summary: 'Show the rates and limits of the tenant, with what is used',
  description:
    'Shows the rates and limits of the tenant, of the key and of the API, and what the tenant uses now. --json adds what happens at each limit, and who raises it. Needs the scope read.',
  resources: 'request',
  call: (api) => api.ask<Record<string, unknown>[]>('GET', '/limits'),
  show: columns('name', 'used', 'limit', 'unit', 'whose', 'counts'),
});

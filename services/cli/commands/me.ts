import { apiVerb } from '../api-calls/api-verb.ts';

export const me = apiVerb({
  summary: 'Show the key in use: its tenant, scopes and end',
  resources: 'request',
  call: (api) => api.ask('GET', '/me'),
});

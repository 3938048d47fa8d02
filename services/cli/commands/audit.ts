import type { AuditEntry } from '#lib/api-contract';
import { apiVerbs } from '../api-calls/api-verb.ts';
import { queryOf, readTimes, timeForms } from '../options/values.ts';
import { table } from '../output/print.ts';
import { text } from '../verb.ts';

export const audit = apiVerbs('changes').listVerb({
  summary: 'List who changed what',
  description:
    'Lists the changes of the last 400 days, newest first: when, by whom, what, and which fields. --json adds the fields before and after, and the id of the request.',
  options: {
    actor: text('ID', 'by this key and its sessions, by this session, or `admin`: by the operator'),
    action: text('NAME', 'such as endpoint.update'),
    resource: text('ID', 'of this endpoint, source, key, …'),
    since: text('TIME', `at this time or later: ${timeForms}`),
    until: text('TIME', 'before this time'),
  },
  limits: { otherwise: 50 },
  call: (api, { actor, action, resource, most, ...times }, _given, { clock }) => {
    const query = queryOf({ actor, action, resource, ...readTimes(times, clock.nowMs()) });
    return api.list('GET /v1/audit', most, { query });
  },
  show: (entries, screen) => table(entries.map(row), ['at', 'actor', 'action', 'resource', 'fields'], screen),
});

const row = ({ at, actor, action, resource_id: resource, before, after }: AuditEntry): Record<string, string> => ({
  at,
  actor: actor.id,
  action,
  resource,
  fields: before === null || after === null ? '-' : Object.keys({ ...before, ...after }).join(' '),
});

import { apiVerb } from '../api-calls/api-verb.ts';
import { pathOf } from '../api-calls/path-of.ts';
import { usageFailure } from '../command-failure.ts';
import { readLimit } from '../options/read-values.ts';
import { columns } from '../output/print.ts';
import { list, text } from '../verb.ts';

// With the operator's key alone, which acts in any tenant.
const things = 'request';

export const tenants = {
  list: apiVerb({
    summary: 'List tenants, what they have and their own limits',
    description: 'Lists tenants in the order of their ids; --json adds all limits. Needs the admin key.',
    things,
    options: { limit: text('N', 'list at most this many (default: all)') },
    call: (api, { limit }) => api.list('/tenants', readLimit(limit)),
    show: columns('id', 'name', 'counts', 'own_limits'),
  }),
  set: apiVerb({
    summary: 'Name a tenant, and set its own limits',
    description:
      'Sets the name and all own limits of a tenant: a limit that is not given is that of HOOKLINE_TENANT_LIMITS, or the default. Holds within five seconds. Needs the admin key.',
    things,
    argument: 'id',
    options: {
      name: text('NAME', 'a name for people'),
      limit: list('NAME=N', 'such as endpoints=50000'),
    },
    call: (api, { name, limit = [] }, { id }) => {
      if (name === undefined) throw usageFailure('missing --name');
      return api.ask('PUT', pathOf('tenants', id), {
        body: { name, limits: Object.fromEntries(limit.map(readOwnLimit)) },
      });
    },
  }),
};

function readOwnLimit(text: string): [string, number] {
  const [, name, value] = /^(\w+)=(\d{1,15})$/.exec(text) ?? [];
  if (name === undefined) throw usageFailure(`--limit must be NAME=N, such as endpoints=50000, not ${text}`);
  return [name, Number(value)];
}

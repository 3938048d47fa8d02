import { apiVerbs } from '../api-calls/api-verb.ts';
import { connect } from '../api-calls/api.ts';
import { usageFailure } from '../command-failure.ts';
import { confirm, refuseUnasked } from '../output/confirm.ts';
import { columns, describe, print } from '../output/print.ts';
import { flag, list, text, verb } from '../verb.ts';

// With the operator's key alone, which acts in any tenant.
const { apiVerb, listVerb } = apiVerbs('request');

export const tenants = {
  list: listVerb({
    summary: 'List tenants, what they have and their own limits',
    description: 'Lists tenants in the order of their ids; --json adds all limits. Needs the admin key.',
    call: (api, { most }) => api.list('GET /v1/tenants', most),
    show: columns('id', 'name', 'counts', 'own_limits'),
  }),
  show: apiVerb({
    summary: 'Show a tenant, what it has and its limits',
    description: 'Shows a tenant with its counts, its own limits and those that hold. Needs the admin key.',
    argument: 'id',
    call: (api, _values, params) => api.call('GET /v1/tenants/:id', { params }),
  }),
  set: apiVerb({
    summary: 'Name a tenant, and set its own limits',
    description:
      'Sets the name and all own limits of a tenant: a limit that is not given is that of HOOKLINE_TENANT_LIMITS, or the default. Holds within two seconds. Needs the admin key.',
    argument: 'id',
    options: {
      name: text('NAME', 'a name for people'),
      limit: list('NAME=N', 'such as endpoints=50000'),
    },
    call: (api, { name, limit = [] }, params) => {
      if (name === undefined) throw usageFailure('missing --name');
      const body = { name, limits: Object.fromEntries(limit.map(readOwnLimit)) };
      return api.call('PUT /v1/tenants/:id', { params, body: JSON.stringify(body) });
    },
  }),
  delete: verb({
    summary: 'Delete a tenant with everything that it has',
    description:
      'Deletes a tenant: its senders and keys are refused at once, all of its rows are removed, and its records on Kafka are dropped for as long as Kafka keeps them. Until then the name is 410. Repeat the command to see the progress. For the operator’s key.',
    argument: 'tenant',
    options: { yes: flag('do not ask') },
    async run(values, { tenant }, context) {
      refuseUnasked(values, context);
      if (!values.yes)
        await confirm(context, `Delete the tenant ${tenant} with everything that it has?`, 'nothing was deleted');
      const given = { params: { id: tenant }, query: { confirm: tenant } };
      const deletion = await connect(context, undefined).call('DELETE /v1/tenants/:id', given);
      print(context, deletion, values.json, describe);
      return 0;
    },
  }),
};

function readOwnLimit(text: string): [string, number] {
  const [, name, value] = /^(\w+)=(\d{1,15})$/.exec(text) ?? [];
  if (name === undefined) throw usageFailure(`--limit must be NAME=N, such as endpoints=50000, not ${text}`);
  return [name, Number(value)];
}

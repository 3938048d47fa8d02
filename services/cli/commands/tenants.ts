import { connect } from '../api-calls/connect.ts';
import { pathOf } from '../api-calls/path-of.ts';
import { usageFailure } from '../command-failure.ts';
import { confirm } from '../output/confirm.ts';
import { describe, print } from '../output/print.ts';
import { flag, verb } from '../verb.ts';

export const tenants = {
  delete: verb({
    summary: 'Delete a tenant with everything that it has',
    description:
      'Deletes a tenant: its senders and keys are refused at once, all of its rows are removed, and its records on Kafka are dropped for as long as Kafka keeps them. Until then its name is gone. Asked again, it shows how far that has come. For the operator’s key.',
    argument: 'tenant',
    options: { yes: flag('do not ask') },
    async run(values, { tenant }) {
      if (!values.yes && !(process.stdin.isTTY && process.stderr.isTTY))
        throw usageFailure('no terminal to confirm on: give --yes');
      if (!values.yes) await confirm(`Delete the tenant ${tenant} with everything that it has?`, 'nothing was deleted');
      const path = `${pathOf('tenants', tenant)}?confirm=${encodeURIComponent(tenant)}`;
      print(await connect(undefined).ask('DELETE', path), values.json, describe);
      return 0;
    },
  }),
};

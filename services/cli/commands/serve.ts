import { serve, type ServedName, servedNames } from '../../serve/serve.ts';
import { usageFailure } from '../command.ts';
import { readOptions } from '../options.ts';

export const help = `usage: hookline serve [--only ${servedNames.slice(0, 2).join()}]

Runs the services in this one process, for small machines; all of them, or those that --only names:
${servedNames.join(', ')}. The environment alone sets them, as it does where each has a process of its own
(services/serve/README.md): a local stack's .hookline/local.env is not read. SIGTERM ends it in order.`;

export async function run(args: readonly string[]): Promise<number> {
  const { values } = readOptions(args, { only: { type: 'string' } });
  return serve(readNames(values.only));
}

function readNames(only: string | undefined): readonly ServedName[] {
  if (only === undefined) return servedNames;
  const given = only.split(',').map((name) => name.trim());
  const unknown = given.find((name) => !servedNames.some((known) => known === name));
  if (unknown !== undefined)
    throw usageFailure(`there is no service \`${unknown}\`; there are ${servedNames.join(', ')}`);
  return servedNames.filter((name) => given.includes(name));
}

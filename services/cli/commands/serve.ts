import { chooseNames, type ServedName, servedNames } from '../../serve/names.ts';
import { serve } from '../../serve/serve.ts';
import { usageFailure } from '../command.ts';
import { readOptions } from '../options.ts';

export const help = `usage: hookline serve [--only ${servedNames.slice(0, 2).join()}]

Runs the services in this one process, for small machines; all of them, or those that --only names:
${servedNames.join(', ')}. The environment alone sets them, as it does where each has a process of its own
(services/serve/README.md): a local stack's .hookline/local.env is not read. SIGTERM ends it in order.`;

export async function run(args: readonly string[]): Promise<number> {
  const { only } = readOptions(args, { only: { type: 'string' } }).values;
  return serve(read(only));
}

function read(only: string | undefined): readonly ServedName[] {
  try {
    return chooseNames(only);
  } catch (error) {
    throw usageFailure((error as Error).message);
  }
}

import { chooseNames, type ServedName, servedNames } from '../../serve/names.ts';
import { usageFailure } from '../command-failure.ts';
import { text, verb } from '../verb.ts';

export const serve = verb({
  summary: 'Run all services, or some of them, in one process',
  description:
    'Runs the services in this one process, for small machines. Their settings come from the environment alone, as in a process of their own (services/serve/README.md); the .hookline/local.env of a local stack is not read. SIGTERM ends it in order.',
  options: {
    only: text('NAMES', `the services to run, separated by commas (default: ${servedNames.join(',')})`),
  },
  async run({ only }) {
    const names = read(only);
    const { serve: run } = await import('../../serve/serve.ts');
    return run(names);
  },
});

function read(only: string | undefined): readonly ServedName[] {
  try {
    return chooseNames(only);
  } catch (error) {
    throw usageFailure((error as Error).message);
  }
}

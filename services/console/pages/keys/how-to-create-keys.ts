import { cliCommand } from '../../parts/cli-command.ts';

/** The console has a session, and a session makes no keys: the rule of the API. */
export const howToCreateKeys = (tenant: string) => ({
  title: 'No API key yet',
  text: 'A session can’t make API keys. Make one with the operator’s key, or with a key that has the scope admin; it is shown once:',
  command: cliCommand('api-keys create --name shop --scope publish', tenant),
});

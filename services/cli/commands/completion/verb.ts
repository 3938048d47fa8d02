import { usageFailure } from '../../command-failure.ts';
import { verb, type Verb, type VerbTable } from '../../verb.ts';
import { bashCompletion, zshCompletion } from './completion-script.ts';

/** @param table every verb; a function, because this verb is in the table */
export const completionVerb = (table: () => VerbTable): Verb =>
  verb({
    summary: 'Print the completion of commands and options for bash or zsh',
    description:
      'Prints a script that completes commands and options. bash: `source <(hookline completion bash)` in ~/.bashrc; zsh: `source <(hookline completion zsh)` in ~/.zshrc, after compinit. It completes `hookline` and `./hookline`.',
    argument: 'shell',
    run: async (_values, { shell }, { process }) => {
      if (shell !== 'bash' && shell !== 'zsh') throw usageFailure(`no completion for ${shell}: there is bash and zsh`);
      process.stdout.write(shell === 'bash' ? bashCompletion(table()) : zshCompletion(table()));
      return 0;
    },
  });

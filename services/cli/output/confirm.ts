import { createInterface } from 'node:readline';
import { CommandFailure } from '../command-failure.ts';
import type { Context } from '../context.ts';

/** 128 + SIGINT, as in shells. */
const interruptedExitCode = 130;

/**
 * Asks on the terminal, and resolves if the answer is yes. Anything else is a no, even the end of the input.
 *
 * @param notDone what was not done, printed after a no
 * @throws CommandFailure for a no; for Ctrl-C with exit code 130
 */
export async function confirm({ process }: Context, question: string, notDone: string): Promise<void> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // On a terminal in a prompt, Ctrl-C is a key; a signal may come nevertheless.
  const interrupt = (): void => void terminal.emit('SIGINT');
  process.once('SIGINT', interrupt);
  const answer = await new Promise<{ line: string } | 'interrupted' | 'ended'>((resolve) => {
    terminal.once('SIGINT', () => resolve('interrupted'));
    terminal.once('close', () => resolve('ended'));
    terminal.question(`${question} [y/N] `, (line) => resolve({ line }));
  });
  process.removeListener('SIGINT', interrupt);
  terminal.close();
  // Only an answer ends its line.
  if (typeof answer === 'string') process.stderr.write('\n');
  if (answer === 'interrupted') throw new CommandFailure(interruptedExitCode, `interrupted: ${notDone}`);
  if (answer === 'ended' || !/^y(es)?$/i.test(answer.line.trim())) throw new CommandFailure(1, notDone);
}

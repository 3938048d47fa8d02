import { createInterface } from 'node:readline';
import { CommandFailure } from './command.ts';

/** As shells have it for SIGINT. */
const interruptedExitCode = 130;

/**
 * Asks on the terminal. Resolves when the answer is yes; anything else is a no, the end of the input as well.
 *
 * @param notDone what a no means, in words
 * @throws CommandFailure for a no, and with an exit code of its own for Ctrl-C
 */
export async function confirm(question: string, notDone: string): Promise<void> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // On a terminal that is asked Ctrl-C is a key; a signal may come all the same.
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
